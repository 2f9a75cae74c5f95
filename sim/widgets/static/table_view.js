// A page of a table, and what asks for another one. The table itself is drawn by Python, all texts escaped there.

function render({ model, el }) {
  const make = (tag, props = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), props);
    node.append(...children);
    return node;
  };
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const id = `itv-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
  el.classList.add("itv", "jp-RenderedHTMLCommon");
  el.dataset.lmSuppressShortcuts = "true"; // what is typed here is not for the notebook
  const look = make("style");
  const filter = make("input", { type: "search", id, placeholder: "Filter rows", autocomplete: "off", spellcheck: false });
  const count = make("span", { className: "itv-count" });
  count.setAttribute("role", "status");
  const turn = (text, words, step) => {
    const button = make("button", { type: "button", textContent: text });
    button.setAttribute("aria-label", words);
    button.addEventListener("click", () => set("page", step()));
    return button;
  };
  const last = () => model.get("pages") - 1;
  const turns = [
    turn("«", "First page", () => 0),
    turn("‹", "Page before", () => Math.max(model.get("page") - 1, 0)),
    turn("›", "Next page", () => Math.min(model.get("page") + 1, last())),
    turn("»", "Last page", last),
  ];
  const pager = make("span", { className: "itv-pager" }, ...turns);
  const label = make("label", { htmlFor: id, className: "itv-label", textContent: "Filter" });
  const bar = make("div", { className: "itv-bar" }, label, filter, count, pager);
  const body = make("div", { className: "itv-body", tabIndex: 0 });
  body.setAttribute("role", "region");
  body.setAttribute("aria-label", "Rows of the table");
  el.replaceChildren(look, bar, body);

  // The heads of columns are buttons that sort: up, down, as they come.
  const heads = () => {
    for (const head of body.querySelectorAll("thead th")) {
      const name = head.textContent;
      if (!name) continue;
      const sorted = model.get("order") === name;
      const down = model.get("down");
      head.setAttribute("aria-sort", sorted ? (down ? "descending" : "ascending") : "none");
      const button = make("button", { type: "button", textContent: name });
      if (sorted) button.append(make("span", { textContent: down ? " ▼" : " ▲", ariaHidden: "true" }));
      button.dataset.name = name;
      head.replaceChildren(button);
    }
  };
  const draw = () => {
    const held = el.contains(document.activeElement) && document.activeElement.dataset.name;
    look.textContent = model.get("look");
    body.innerHTML = model.get("html");
    heads();
    if (held) body.querySelector(`[data-name="${CSS.escape(held)}"]`)?.focus();
    tell();
  };
  const tell = () => {
    const [page, rows, found, total] = ["page", "rows", "count", "total"].map((name) => model.get(name));
    const first = page * rows + 1;
    const shown = found ? `${first.toLocaleString("en")}–${Math.min(first + rows - 1, found).toLocaleString("en")} of ` : "";
    const rest = found < total ? `${found.toLocaleString("en")} (${total.toLocaleString("en")} in all)` : found.toLocaleString("en");
    count.textContent = found ? `Rows ${shown}${rest}` : "No row holds this text.";
    bar.hidden = total === 0;
    turns[0].disabled = turns[1].disabled = page === 0;
    turns[2].disabled = turns[3].disabled = page >= last();
    pager.hidden = model.get("pages") < 2;
    if (filter.value !== model.get("text") && document.activeElement !== filter) filter.value = model.get("text");
  };
  let waiting = 0;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => set("text", filter.value), 150);
  });
  body.addEventListener("click", (event) => {
    const name = event.target.closest("th button")?.dataset.name;
    if (!name) return;
    const sorted = model.get("order") === name;
    if (sorted && model.get("down")) model.set({ order: "", down: false });
    else model.set({ order: name, down: sorted });
    model.save_changes();
  });
  const heard = ["html", "look", "page", "rows", "count", "total", "order", "down", "text"];
  let due = false;
  const news = () => {
    if (due) return;
    due = true; // several traits change at once: drawn once
    queueMicrotask(() => {
      due = false;
      draw();
    });
  };
  heard.forEach((name) => model.on(`change:${name}`, news));
  draw();
  return () => {
    clearTimeout(waiting);
    heard.forEach((name) => model.off(`change:${name}`, news));
  };
}

export default { render };
