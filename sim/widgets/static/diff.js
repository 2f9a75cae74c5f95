// The table of what differs in two messages: elements, and the parts inside them.

const KINDS = { changed: "differs", added: "only in the second", removed: "only in the first", same: "the same" };

// A value, the characters in which it differs from the other one marked.
function sides(row) {
  const there = (value) => value !== null && value !== undefined; // None arrives as either
  const [a, b] = [row.a, row.b].map((value) => (there(value) ? Array.from(value) : null));
  let [from, tail] = [0, 0];
  if (row.kind === "changed" && a && b) {
    const least = Math.min(a.length, b.length);
    while (from < least && a[from] === b[from]) from += 1;
    while (tail < least - from && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  }
  const cell = (chars, meaning) => {
    const box = make("td", { cls: "ia-side" });
    if (chars === null) return box;
    const end = chars.length - tail;
    const code = make("code", { title: chars.join("") });
    if (!chars.length) code.append("empty");
    else if (row.kind !== "changed" || from >= end) code.append(...shown(chars.join("")));
    else
      code.append(
        ...shown(chars.slice(0, from).join("")),
        make("mark", {}, ...shown(chars.slice(from, end).join(""))),
        ...shown(chars.slice(end).join("")),
      );
    box.append(code);
    if (meaning) box.append(make("span", { cls: "ia-meaning", text: meaning, title: meaning }));
    return box;
  };
  return [cell(a, row.meaning_a), cell(b, row.meaning_b)];
}

function line(row) {
  const node = make("tr", { tabindex: "0", data: { n: row.number, kind: row.kind, depth: row.depth } });
  const sign = make("span", { cls: row.kind === "same" ? "" : "ia-diffsign", text: DIFFERS[row.kind] || "", title: KINDS[row.kind] });
  const place = make("th", { scope: "row", text: row.depth ? row.label : short(row.number) });
  place.style.paddingLeft = `${0.6 + 1.2 * row.depth}em`;
  const name = make("td", { text: row.name });
  if (row.said) name.append(make("span", { cls: "ia-meaning", text: row.said }));
  node.append(make("td", { "aria-label": KINDS[row.kind] }, sign), place, name, ...sides(row));
  return node;
}

function render({ model, el }) {
  el.classList.add("ia", "ia-difflist");
  el.dataset.lmSuppressShortcuts = "true";
  const draw = () => {
    const everything = model.get("everything");
    const rows = model.get("rows").filter((row) => everything || row.kind !== "same");
    const box = make("input", { type: "checkbox", checked: everything });
    box.addEventListener("change", () => set("everything", box.checked));
    const head = make("div", { cls: "ia-header" }, make("p", { cls: "ia-title", text: model.get("title") }));
    head.append(make("label", { cls: "ia-everything" }, box, " Show what is the same, too"));
    el.replaceChildren(head);
    if (!rows.length) return;
    const heads = ["", "DE", "Element", "First", "Second"].map((text) => (text ? make("th", { scope: "col", text }) : make("td")));
    const table = make("table", { cls: "ia-difftable", "aria-label": "Differences" });
    table.append(make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows.map(line)));
    el.append(make("div", { cls: "ia-diffbody" }, table));
    light();
  };
  const light = () => {
    for (const node of el.querySelectorAll("[data-n]")) node.classList.toggle("ia-hot", Number(node.dataset.n) === model.get("hovered"));
  };
  const number = (target) => {
    const node = target.closest("[data-n]");
    return node ? Number(node.dataset.n) : null;
  };
  const set = (name, value) => {
    if (model.get(name) === value) return;
    model.set(name, value);
    model.save_changes();
  };
  const pin = (event) => {
    const n = number(event.target);
    if (n !== null) set("pinned", model.get("pinned") === n ? null : n);
  };
  el.addEventListener("mouseover", (event) => set("hovered", number(event.target)));
  el.addEventListener("mouseleave", () => set("hovered", null));
  el.addEventListener("focusin", (event) => set("hovered", number(event.target)));
  el.addEventListener("click", pin);
  el.addEventListener("keydown", (event) => {
    if (event.key === "Enter") pin(event);
  });
  const heard = [
    ["change:rows", draw],
    ["change:title", draw],
    ["change:everything", draw],
    ["change:hovered", light],
  ];
  heard.forEach(([name, act]) => model.on(name, act));
  draw();
  return () => heard.forEach(([name, act]) => model.off(name, act));
}

export default { render };
