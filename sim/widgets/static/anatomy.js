// What the anatomy answers to: pointing, keys, edits, and news from Python.

class Anatomy extends Editing {
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

  // ---- lighting

  light() {
    const n = this.model.get("hovered");
    const lit = new Set([n, ...(this.model.get("lit") || [])]);
    for (const node of this.el.querySelectorAll("[data-n]")) {
      node.classList.toggle("ia-hot", lit.has(Number(node.dataset.n)));
    }
    const digit = n !== null && n > 0 && this.data.cells[n - 1] ? 4 + ((n - 1) >> 2) : -1;
    for (const node of this.el.querySelectorAll(".ia-piece.ia-bitmap"))
      node.classList.toggle("ia-digit", Number(node.dataset.at) === digit);
    this.inspect(n ?? this.model.get("pinned"));
  }

  inspect(n) {
    const element = this.element(n);
    const cell = this.data.cells[n - 1];
    if (this.told()) return;
    if (element) {
      const said = element.meaning && element.number > 1 ? element.meaning : place(element);
      this.live.replaceChildren(
        make("strong", { text: titled(n, element.name) }),
        make("span", { cls: "ia-fact", text: element.format }),
        make("code", {}, ...shown(element.value)),
        make("span", { cls: "ia-said", text: said }),
      );
    } else if (cell) {
      this.live.replaceChildren(
        make("strong", { text: titled(n, cell.name) }),
        make("span", { cls: "ia-said", text: cell.set ? "announced, but not read" : "not in this message" }),
      );
    } else this.live.replaceChildren(make("span", { cls: "ia-quiet", text: this.advice() }));
  }

  advice() {
    const pick = "Point at an element or use the arrow keys; click or press Enter to unfold it.";
    return this.editable ? `${pick} A click on the bitmap adds or removes an element.` : pick;
  }

  lightRange(from, to) {
    for (const node of this.el.querySelectorAll(".ia-piece")) {
      const at = Number(node.dataset.at);
      node.classList.toggle("ia-part", from <= at && at < to);
    }
    this.lightBytes(from, to);
  }

  // ---- pointing, keys, focus

  number(target) {
    const node = target.closest && target.closest("[data-n], [data-of], [data-b]");
    const n = node && (node.dataset.n ?? node.dataset.of);
    return n === null || n === undefined ? null : Number(n);
  }

  over(event) {
    const part = event.target.closest("[data-from]");
    if (part) this.lightRange(Number(part.dataset.from), Number(part.dataset.to));
    else this.lightRange(0, 0);
    const n = this.number(event.target);
    const same = n === this.model.get("hovered");
    this.set("hovered", n);
    const byte = event.target.closest("[data-b]");
    if (byte && n === null) this.inspectByte(Number(byte.dataset.b));
    else if (same && n === null) this.inspect(this.model.get("pinned"));
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
    else if (what === "edit") this.set("editable", !this.editable);
    else if (what === "undo" || what === "redo" || what === "mend") this.model.send({ ask: what });
    else if (what === "apply") this.apply(n);
    else if (what === "apply-bytes") this.applyBytes(n);
    else if (what === "drop") this.toggle(n);
    else if (what === "earlier" || what === "later") this.turn(what === "later" ? 1 : -1);
  }

  pin(n) {
    if (!this.element(n)) return;
    this.set("pinned", this.model.get("pinned") === n ? null : n);
  }

  key(event) {
    const input = event.target.closest(".ia-input");
    if (event.target.closest(".ia-filter")) return event.stopPropagation(); // a text like any other
    if (this.editable && (event.ctrlKey || event.metaKey) && !input) {
      const what = this.taking(event);
      if (what) {
        this.model.send({ ask: what });
        return this.taken(event);
      }
    }
    if (input) return this.typed(event, input);
    if (event.key === "Escape") {
      if (this.model.get("pinned") === null) return undefined;
      this.set("pinned", null);
      return this.taken(event);
    }
    const zone = event.target.closest("[data-zone]");
    const node = event.target.closest("[data-n], [data-b]");
    if (!zone || !node || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const n = this.number(node);
    if (zone.dataset.zone === "bytes" && this.overtype(event, node)) return this.taken(event);
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

  typed(event, input) {
    const n = Number(input.dataset.edit ?? input.dataset.of);
    if (event.key === "Enter") this.enter(input);
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
    const stops = [...zone.querySelectorAll("[tabindex]")].filter((one) => !one.closest("[hidden]"));
    const at = stops.indexOf(node);
    const line = zone.dataset.zone !== "raw" && zone.dataset.zone !== "rows" && { ArrowUp: -1, ArrowDown: 1 }[key];
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
      const stops = [...zone.querySelectorAll("[tabindex]")];
      stops.forEach((one) => (one.tabIndex = -1));
      const shown = stops.filter((one) => !one.closest("[hidden]"));
      const stop = shown.find((one) => one.dataset.n === String(n)) || shown[0];
      if (stop) stop.tabIndex = 0;
    }
  }

  // What has the focus, so that it can have it again after everything is drawn anew.
  held() {
    const now = document.activeElement;
    if (!now || !this.el.contains(now)) return null;
    const zone = now.closest("[data-zone]");
    if (now.dataset.edit) return { find: `.ia-input[data-edit="${now.dataset.edit}"]` };
    if (now.dataset.hold) return { find: `[data-hold="${now.dataset.hold}"]` };
    if (now.dataset.b) return { find: `[data-b="${now.dataset.b}"]` };
    if (now.dataset.act) return { find: `[data-act="${now.dataset.act}"]` };
    return zone && now.dataset.n ? { find: `[data-zone="${zone.dataset.zone}"] [tabindex][data-n="${now.dataset.n}"]` } : null;
  }
  hold(held) {
    const node = held && this.el.querySelector(held.find);
    if (!node) return;
    if (node.dataset.n || node.dataset.b) this.focus(node);
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
  const told = () => anatomy.answered();
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
    ["change:can_redo", draw],
    ["change:can_edit", draw],
    ["change:notice", told],
    ["change:masked", unmask],
    ["change:hovered", light],
    ["change:lit", light],
    ["change:problem", told],
    ["msg:custom", custom],
  ];
  heard.forEach(([name, act]) => model.on(name, act));
  draw();
  if (!model.get("masked")) model.send({ ask: "clear" });
  return () => heard.forEach(([name, act]) => model.off(name, act));
}

export default { render };
