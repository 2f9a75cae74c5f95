// While a model is asked, the button that asks keeps the focus, which a disabled one would lose; a press of it is
// not taken. When Cancel goes, the focus it had goes to that button.

function render({ model, el }) {
  const adapt = () => {
    const bar = el.closest(".iso-bar");
    const [run, cancel] = [".iso-run", ".iso-cancel"].map((name) => bar?.querySelector(name));
    if (!run) return;
    const asking = model.get("asking");
    if (!asking && document.activeElement === cancel) run.focus();
    run.setAttribute("aria-disabled", String(asking));
  };
  model.on("change:asking", adapt);
  requestAnimationFrame(adapt); // drawn anew in another page
  return () => model.off("change:asking", adapt);
}

export default { render };
