"""The service and the notebook interface give the same results, because both use the same core."""

from __future__ import annotations

from typing import Any

from support import AT, VECTORS, together, vector_id

import sim
from sim.operations import NETWORKS

SAMPLE = [row for row in VECTORS if row["layout"] != "broken"][::9]


@together("row", SAMPLE, label=vector_id)
def test_explain_and_validate_agree(client: Any, row: dict[str, Any]) -> None:
    """Elements, summary, verdict, errors and network results are those of the message table."""
    asked = {"message": row["message"], "version": row["version"]}
    findings = sim.validate(row["message"], version=row["version"])
    verdict = client.post("/validate", asked).json()
    assert verdict["valid"] is findings.iso.valid
    assert verdict["errors"] == findings.iso.errors
    if not row["expect_parse"] or not verdict["networks"]:
        return
    matrix = findings.iso.networks
    assert list(verdict["networks"]) == matrix["network"].tolist() == list(NETWORKS)
    assert [one["passed"] for one in verdict["networks"].values()] == matrix["passed"].tolist()
    table = sim.explain(row["message"], version=row["version"])
    story = client.post("/explain", asked).json()
    assert story["summary"] == table.iso.summary
    assert (story["mti"], story["source"]) == (table.iso.mti, table.iso.source)
    rows = table[table["number"] > 1]
    assert [field["number"] for field in story["fields"]] == rows["number"].tolist()
    assert [field["name"] for field in story["fields"]] == rows["name"].tolist()
    values = [field["value"] for field in story["fields"]]
    assert [value.upper() for value in values] == [value.upper() for value in rows["value"].tolist()]


@together("network", NETWORKS)
@together("kind", ["auth", "financial", "echo"])
def test_generate_agrees(client: Any, kind: str, network: str) -> None:
    """The service generates what `sim.generate` does with the contract's options, except for the time."""
    asked = {"message_type": kind, "network": network, "amount_minor_units": 4321, "currency": "978"}
    made = client.post("/generate", asked).json()
    options = {
        "network": network,
        "amount_minor_units": 4321,
        "currency": "978",
        "version": "1987",
        "entry": "manual",
    }
    table = sim.generate(kind, **options, at=AT)
    assert (made["mti"], made["network"], made["source"]) == (
        table.iso.mti,
        table.iso.network,
        table.iso.source,
    )
    dated = {7, 12, 13, 14, 37}
    served = {field["number"]: field["value"] for field in made["fields"] if field["number"] not in dated}
    rows = table[(table["number"] > 1) & ~table["number"].isin(dated)]
    assert served == dict(zip(rows["number"].tolist(), rows["value"].tolist(), strict=True))
    assert str(sim.build(sim.parse(made["message"]))) == made["message"]
