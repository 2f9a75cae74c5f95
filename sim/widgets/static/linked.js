// Sentences and the anatomy beneath them: pointing at a sentence, or going to it with the Tab key, lights the
// elements it speaks of; pointing at an element lights the sentences that speak of it. Draws nothing itself.

function render({ model, el }) {
  el.style.display = "none";
  const panel = () => el.closest(".iso-panel");
  const about = (node) => node.dataset.about.split(" ").map(Number);
  const over = (event) => {
    const home = panel();
    if (!home || !(event.target instanceof Element)) return;
    const sentence = home.contains(event.target) ? event.target.closest(".iso-summary [data-about]") : null;
    const lit = sentence ? about(sentence) : [];
    if (String(lit) === String(model.get("lit"))) return;
    model.set("lit", lit);
    model.save_changes();
  };
  const light = () => {
    const n = model.get("hovered");
    for (const node of panel()?.querySelectorAll(".iso-summary [data-about]") ?? [])
      node.classList.toggle("iso-lit", n !== null && about(node).includes(n));
  };
  document.addEventListener("mouseover", over);
  document.addEventListener("focusin", over);
  model.on("change:hovered", light);
  return () => {
    document.removeEventListener("mouseover", over);
    document.removeEventListener("focusin", over);
    model.off("change:hovered", light);
  };
}

export default { render };
