"""The toolkit in marimo: `pip install marimo`, then `marimo edit marimo_app.py`."""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import marimo as mo

    import sim

    return mo, sim


@app.cell
def _(mo, sim):
    network = mo.ui.dropdown(list(sim.NETWORKS), value="VISA", label="Network")
    amount = mo.ui.slider(100, 10_000, step=100, value=2_500, label="Amount, minor units")
    mo.hstack([network, amount])
    return amount, network


@app.cell
def _(amount, network, sim):
    message = sim.generate("auth", network=network.value, amount_minor_units=amount.value)
    message
    return (message,)


@app.cell
def _(message, mo, sim):
    mo.md(sim.explain(message).iso.summary)
    return


if __name__ == "__main__":
    app.run()
