// What the anatomy answers to: pointing, keys, edits, and news from Python.

class Anatomy extends Drawing {
  constructor(model, el) {
    super(model, el);
    el.classList.add("ia");
    this.mark = crypto.getRandomValues(new Uint32Array(2)).join("-"); // ids of this drawing alone in its page
    el.dataset.lmSuppressShortcuts = "true"; // arrow keys and Enter are ours, not the notebook's
    const on = (name, act) => el.addEventListener(name, (event) => act.call(this, event));
    on("mouseover", this.over);
    on("mouseleave", this.leave);
    on("focusin", this.over);
    on("click", this.click);
    on("keydown", this.key);
  }

  // ---- editing

  editor(element) {
    const n = element.number;
    const id = `ia-${this.mark}-${n}`;
    const problem = this.model.get("problem") || {};
    const wrong = problem.number === n ? problem.text : "";
    const draft = this.drafts.has(n) ? this.drafts.get(n) : element.hidden ? "" : element.value;
    const input = make("input", {
      id,
      cls: "ia-input",
      type: "text",
      spellcheck: "false",
      autocomplete: "off",
      placeholder: element.hidden ? "hidden: type a new value" : "",
      "aria-invalid": String(Boolean(wrong)),
      "aria-describedby": `${id}-error`,
      data: { edit: n },
    });
    input.value = draft;
    input.addEventListener("input", () => this.drafts.set(n, input.value));
    const buttons = [make("button", { type: "button", cls: "ia-button", data: { act: "apply" }, text: "Apply" })];
    if (n > 1)
      buttons.push(make("button", { type: "button", cls: "ia-button", data: { act: "drop" }, text: "Drop element" }));
    return make(
      "div",
      { cls: "ia-editor" },
      make("label", { for: id, text: "Value" }),
      input,
      ...buttons,
      make("div", { id: `${id}-error`, cls: "ia-refused", role: "alert", text: wrong && `✖ ${wrong}` }),
    );
  }

  // An edit was refused or went through: say so beside its input, leave what was typed.
  told() {
    const problem = this.model.get("problem") || {};
    if (problem.number === undefined) this.drafts.clear();
    for (const input of this.el.querySelectorAll(".ia-input")) {
      const wrong = problem.number === Number(input.dataset.edit) ? problem.text : "";
      input.setAttribute("aria-invalid", String(Boolean(wrong)));
      input.parentElement.querySelector(".ia-refused").textContent = wrong && `✖ ${wrong}`;
    }
    const elsewhere = problem.number !== undefined && this.model.get("pinned") !== problem.number;
    this.live.classList.toggle("ia-refused", elsewhere);
    if (elsewhere) this.live.textContent = `✖ ${problem.text}`;
  }

  apply(n) {
    const input = this.el.querySelector(`.ia-input[data-edit="${n}"]`);
    if (input) this.model.send({ ask: "set", number: n, value: input.value });
  }
  toggle(n) {
    if (n > 1) this.model.send({ ask: "toggle", number: n });
  }

  // ---- lighting

  light() {
    const n = this.model.get("hovered");
    for (const node of this.el.querySelectorAll("[data-n]")) {
      node.classList.toggle("ia-hot", Number(node.dataset.n) === n);
    }
    const digit = n !== null && n > 0 && this.data.cells[n - 1] ? 4 + ((n - 1) >> 2) : -1;
    for (const node of this.el.querySelectorAll(".ia-piece.ia-bitmap"))
      node.classList.toggle("ia-digit", Number(node.dataset.at) === digit);
    this.inspect(n ?? this.model.get("pinned"));
  }

  inspect(n) {
    const element = this.element(n);
    const cell = this.data.cells[n - 1];
    this.live.classList.remove("ia-refused");
    if (element) {
      const said = element.meaning && element.number > 1 ? element.meaning : place(element);
      this.live.replaceChildren(
        make("strong", { text: `${label(n)} ${element.name}` }),
        make("span", { cls: "ia-fact", text: element.format }),
        make("code", {}, ...shown(element.value)),
        make("span", { cls: "ia-said", text: said }),
      );
    } else if (cell) {
      this.live.replaceChildren(
        make("strong", { text: `${label(n)} ${cell.name}` }),
        make("span", { cls: "ia-said", text: cell.set ? "announced, but not read" : "not in this message" }),
      );
    } else this.live.replaceChildren(make("span", { cls: "ia-quiet", text: this.advice() }));
  }

  advice() {
    const pick = "Point at an element, or use the arrow keys; click or Enter unfolds it.";
    return this.editable ? `${pick} A click on the bitmap adds or drops an element.` : pick;
  }

  lightRange(from, to) {
    for (const node of this.el.querySelectorAll(".ia-piece")) {
      const at = Number(node.dataset.at);
      node.classList.toggle("ia-part", from <= at && at < to);
    }
  }

  // ---- pointing, keys, focus

  number(target) {
    const node = target.closest && target.closest("[data-n], [data-of]");
    return node ? Number(node.dataset.n ?? node.dataset.of) : null;
  }

  over(event) {
    const part = event.target.closest("[data-from]");
    if (part) this.lightRange(Number(part.dataset.from), Number(part.dataset.to));
    else this.lightRange(0, 0);
    this.set("hovered", this.number(event.target));
  }

  leave() {
    this.lightRange(0, 0);
    const inside = this.el.contains(document.activeElement);
    this.set("hovered", inside ? this.number(document.activeElement) : null);
  }

  click(event) {
    const button = event.target.closest("[data-act]");
    if (button) return this.act(button.dataset.act, this.number(button));
    if (event.target.closest(".ia-details")) return undefined;
    const node = event.target.closest("[data-n]");
    if (!node) return undefined;
    const n = Number(node.dataset.n);
    if (this.editable && node.closest(".ia-bits")) return this.toggle(n);
    return this.pin(n);
  }

  act(what, n) {
    if (what === "eye") this.set("masked", !this.model.get("masked"));
    else if (what === "undo") this.model.send({ ask: "undo" });
    else if (what === "apply") this.apply(n);
    else if (what === "drop") this.toggle(n);
  }

  pin(n) {
    if (!this.element(n)) return;
    this.set("pinned", this.model.get("pinned") === n ? null : n);
  }

  key(event) {
    const input = event.target.closest(".ia-input");
    if (input) return this.typed(event, Number(input.dataset.edit));
    if (event.key === "Escape") {
      if (this.model.get("pinned") === null) return undefined;
      this.set("pinned", null);
      return this.taken(event);
    }
    const zone = event.target.closest("[data-zone]");
    const node = event.target.closest("[data-n]");
    if (!zone || !node || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const n = Number(node.dataset.n);
    if (event.key === "Enter" || event.key === " ") {
      if (event.key === " " && this.editable && zone.dataset.zone === "bits") this.toggle(n);
      else this.pin(n);
      return this.taken(event);
    }
    const next = this.next(zone, node, event.key);
    if (!next) return undefined;
    this.focus(next);
    return this.taken(event);
  }

  typed(event, n) {
    if (event.key === "Enter") this.apply(n);
    else if (event.key === "Escape") {
      this.drafts.delete(n);
      this.set("problem", {});
      this.set("pinned", null);
    } else return event.stopPropagation();
    return this.taken(event);
  }

  taken(event) {
    event.preventDefault();
    event.stopPropagation();
  }

  next(zone, node, key) {
    const stops = [...zone.querySelectorAll("[tabindex]")];
    const at = stops.indexOf(node);
    const line = zone.dataset.zone === "bits" && { ArrowUp: -1, ArrowDown: 1 }[key];
    if (line) return nearest(stops, node, line);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[key];
    if (step) return stops[Math.min(Math.max(at + step, 0), stops.length - 1)];
    return { Home: stops[0], End: stops[stops.length - 1] }[key];
  }

  focus(node) {
    const zone = node.closest("[data-zone]");
    for (const other of zone.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    node.tabIndex = 0;
    node.focus({ preventScroll: false });
  }

  // One stop for the Tab key in each of the three: what is pinned or hovered, else the first.
  rove() {
    const n = this.model.get("pinned") ?? this.model.get("hovered");
    for (const zone of this.el.querySelectorAll("[data-zone]")) {
      const stop = zone.querySelector(`[tabindex][data-n="${n}"]`) || zone.querySelector("[tabindex]");
      if (stop) stop.tabIndex = 0;
    }
  }

  // What has the focus, so that it can have it again after everything is drawn anew.
  held() {
    const now = document.activeElement;
    if (!now || !this.el.contains(now)) return null;
    const zone = now.closest("[data-zone]");
    if (now.dataset.edit) return { find: `.ia-input[data-edit="${now.dataset.edit}"]` };
    if (now.dataset.act) return { find: `[data-act="${now.dataset.act}"]` };
    return zone && now.dataset.n ? { find: `[data-zone="${zone.dataset.zone}"] [tabindex][data-n="${now.dataset.n}"]` } : null;
  }
  hold(held) {
    const node = held && this.el.querySelector(held.find);
    if (!node) return;
    if (node.dataset.n) this.focus(node);
    else node.focus();
  }
}

function render({ model, el }) {
  const anatomy = new Anatomy(model, el);
  const draw = () => anatomy.draw();
  const unmask = () => {
    anatomy.clear = null;
    draw();
  };
  const light = () => anatomy.light();
  const told = () => anatomy.told();
  const custom = (message) => {
    if (message.kind !== "clear") return;
    anatomy.clear = message.view;
    draw();
  };
  const seen = () => {
    anatomy.clear = null;
    draw();
  };
  const heard = [
    ["change:view", seen],
    ["change:pinned", draw],
    ["change:marked", draw],
    ["change:editable", draw],
    ["change:compared", draw],
    ["change:can_undo", draw],
    ["change:masked", unmask],
    ["change:hovered", light],
    ["change:problem", told],
    ["msg:custom", custom],
  ];
  heard.forEach(([name, act]) => model.on(name, act));
  draw();
  if (!model.get("masked")) model.send({ ask: "clear" });
  return () => heard.forEach(([name, act]) => model.off(name, act));
}

export default { render };
