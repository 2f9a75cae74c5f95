// The list of the elements in which two messages differ.

const KINDS = { changed: "differs", added: "only in the second", removed: "only in the first" };

function render({ model, el }) {
  el.classList.add("ia", "ia-difflist");
  const draw = () => {
    const rows = model.get("rows");
    el.replaceChildren(make("p", { cls: "ia-title", text: model.get("title") }));
    if (!rows.length) return;
    const list = make("ul", { "aria-label": "Differences" });
    for (const row of rows) {
      // What is None in Python arrives as null, from a kernel in the browser as undefined.
      const values = [row.a, row.b].filter((value) => value !== null && value !== undefined);
      const item = make("li", { tabindex: "0", data: { n: row.number } });
      item.append(make("span", { cls: "ia-diffsign", text: DIFFERS[row.kind], "aria-label": KINDS[row.kind] }));
      item.append(make("strong", { text: `${label(row.number)} ${row.name}` }));
      values.forEach((value, at) => {
        if (at) item.append(make("span", { text: "→", "aria-label": "becomes" }));
        item.append(make("code", {}, ...(value === "" ? ["empty"] : shown(value))));
      });
      item.append(make("span", { cls: "ia-quiet", text: row.said }));
      list.append(item);
    }
    el.append(list);
    light();
  };
  const light = () => {
    for (const node of el.querySelectorAll("[data-n]"))
      node.classList.toggle("ia-hot", Number(node.dataset.n) === model.get("hovered"));
  };
  const number = (target) => {
    const node = target.closest("[data-n]");
    return node ? Number(node.dataset.n) : null;
  };
  const point = (n) => {
    if (model.get("hovered") === n) return;
    model.set("hovered", n);
    model.save_changes();
  };
  const pin = (event) => {
    const n = number(event.target);
    if (n === null) return;
    model.set("pinned", model.get("pinned") === n ? null : n);
    model.save_changes();
  };
  el.addEventListener("mouseover", (event) => point(number(event.target)));
  el.addEventListener("mouseleave", () => point(null));
  el.addEventListener("focusin", (event) => point(number(event.target)));
  el.addEventListener("click", pin);
  el.addEventListener("keydown", (event) => {
    if (event.key === "Enter") pin(event);
  });
  const heard = [
    ["change:rows", draw],
    ["change:title", draw],
    ["change:hovered", light],
  ];
  heard.forEach(([name, act]) => model.on(name, act));
  draw();
  return () => heard.forEach(([name, act]) => model.off(name, act));
}

export default { render };
