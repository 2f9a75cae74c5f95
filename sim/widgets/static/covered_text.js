// The text box of CoveredText. `shown` is masked; the true text comes as a message when it is needed and
// is kept no longer than the box is worked in.

function button(name, text) {
  const node = document.createElement("button");
  node.type = "button";
  node.className = "ict-button";
  node.dataset.act = name;
  node.textContent = text;
  return node;
}

class Box {
  constructor(model, el) {
    this.model = model;
    this.open = null; // the true text, while the browser may have it
    this.waiting = false; // a typed text is on its way
    this.later = null; // what was typed meanwhile
    this.untold = false; // whether something was typed that is not on its way
    // Each box has a module of its own, so a count or the time would name two boxes of a page alike.
    const id = `ict-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
    el.classList.add("ict");
    el.dataset.lmSuppressShortcuts = "true";
    this.label = document.createElement("label");
    this.label.htmlFor = id;
    this.eye = button("eye", "");
    this.copy = button("copy", "Copy");
    // Where something is hidden, Copy asks which: stars or digits.
    this.which = document.createElement("span");
    this.which.className = "ict-which";
    this.which.setAttribute("role", "group");
    this.which.setAttribute("aria-label", "Copy what?");
    this.stars = button("copy-stars", "Copy masked");
    this.digits = button("copy-digits", "Copy with card data");
    this.which.append(this.stars, this.digits);
    this.which.hidden = true;
    this.said = document.createElement("span");
    this.said.className = "ict-said";
    this.said.setAttribute("role", "status");
    this.problem = document.createElement("div");
    this.problem.id = `${id}-problem`;
    this.problem.className = "ict-problem";
    this.problem.setAttribute("role", "alert");
    this.area = document.createElement("textarea");
    Object.assign(this.area, { id, spellcheck: false, autocomplete: "off" });
    this.area.setAttribute("autocapitalize", "off");
    this.area.setAttribute("aria-describedby", this.problem.id);
    const head = document.createElement("div");
    head.className = "ict-head";
    head.append(this.label, this.said, this.eye, this.copy, this.which);
    el.replaceChildren(head, this.area, this.problem);
    this.area.addEventListener("focus", () => this.enter());
    this.area.addEventListener("blur", () => this.leave());
    this.area.addEventListener("beforeinput", (event) => this.guard(event));
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("change", () => this.tell());
    this.eye.addEventListener("click", () => this.toggle());
    this.copy.addEventListener("click", () => this.choose());
    this.stars.addEventListener("click", () => this.write(this.model.get("shown")));
    this.digits.addEventListener("click", () => this.ask("copy"));
    this.which.addEventListener("keydown", (event) => event.key === "Escape" && this.chosen());
  }

  get focused() {
    return document.activeElement === this.area;
  }
  get locked() {
    return this.area.value !== "" && this.model.get("hides") && this.open === null;
  }

  ask(why) {
    this.model.send({ kind: "ask", why });
  }

  enter() {
    if (!this.model.get("disabled") && this.model.get("hides") && this.open === null) this.ask("enter");
  }

  // A change on its way is drawn when it has arrived.
  leave() {
    if (!this.model.get("masked") || this.waiting) return;
    this.open = null;
    this.draw();
  }

  // Stars are not the message: before the true text is here, only replacing all of it is taken.
  guard(event) {
    const all = this.area.selectionStart === 0 && this.area.selectionEnd === this.area.value.length;
    if (this.locked && !all) {
      event.preventDefault();
      this.ask("enter");
    }
  }

  typed() {
    this.open = this.area.value;
    this.untold = true;
    if (!this.model.get("lazy")) this.tell();
  }

  tell() {
    if (!this.untold) return;
    this.untold = false;
    if (this.waiting) this.later = this.area.value;
    else this.post(this.area.value);
  }

  // The notebook takes no key from a box; what is told by Enter has one line.
  key(event) {
    event.stopPropagation();
    if (!this.model.get("lazy") || event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    this.tell();
  }

  post(text) {
    this.waiting = true;
    this.later = null;
    this.model.send({ kind: "typed", text });
  }

  heard() {
    this.waiting = false;
    if (this.later !== null) this.post(this.later);
    else if (!this.focused) this.leave();
  }

  // What is shown is what is copied; where stars are shown, either may be meant.
  choose() {
    if (!this.model.get("hides") || !this.model.get("masked")) {
      this.ask("copy");
      return;
    }
    this.copy.hidden = true;
    this.which.hidden = false;
    this.said.textContent = "";
    this.stars.focus();
  }

  chosen() {
    const held = this.which.contains(document.activeElement);
    this.which.hidden = true;
    this.copy.hidden = this.model.get("shown") === "";
    if (held) this.copy.focus();
  }

  toggle() {
    const masked = !this.model.get("masked");
    this.open = null;
    this.model.set("masked", masked);
    this.model.save_changes();
  }

  told(message) {
    if (message.kind === "heard") this.heard();
    if (message.kind !== "text") return;
    if (message.why === "copy") this.write(message.text);
    else if (!this.waiting && (this.focused || !this.model.get("masked"))) {
      this.open = message.text;
      this.draw();
    }
  }

  async write(text) {
    if (!(await toClipboard(text))) {
      this.copy.focus();
    }
    const stars = this.model.get("hides") && text === this.model.get("shown");
    this.chosen();
    this.said.textContent = stars ? "Copied, masked." : "Copied.";
  }

  // Python changed the text: what the browser holds is old.
  edited() {
    this.open = null;
    this.later = null;
    if (!this.model.get("masked") || (this.focused && this.model.get("hides"))) this.ask("enter");
    this.draw();
  }

  uncovered() {
    this.open = null;
    if (!this.model.get("masked")) this.ask("eye");
    this.draw();
  }

  draw() {
    const get = (name) => this.model.get(name);
    this.label.textContent = get("label");
    this.area.rows = get("rows");
    this.area.readOnly = get("disabled");
    this.area.placeholder = get("placeholder");
    const text = this.open ?? get("shown");
    if (this.area.value !== text) {
      const at = this.area.selectionStart;
      const to = this.area.selectionEnd;
      this.area.value = text;
      if (this.focused) this.area.setSelectionRange(at, to);
    }
    const masked = get("masked");
    this.eye.hidden = masked && !get("hides");
    this.eye.textContent = masked ? "Show card data" : "Hide card data";
    this.eye.setAttribute("aria-pressed", String(!masked));
    this.which.hidden = true;
    this.copy.hidden = get("shown") === "";
    this.said.textContent = "";
    this.problem.textContent = get("problem") && `✖ ${get("problem")}`;
    this.area.setAttribute("aria-invalid", String(Boolean(get("problem"))));
  }
}

function render({ model, el }) {
  const box = new Box(model, el);
  const draw = () => box.draw();
  const heard = [
    ...["shown", "hides", "label", "placeholder", "problem", "rows", "disabled"].map((n) => [`change:${n}`, draw]),
    ["change:edition", () => box.edited()],
    ["change:masked", () => box.uncovered()],
    ["msg:custom", (message) => box.told(message)],
  ];
  heard.forEach(([name, act]) => model.on(name, act));
  box.draw();
  if (!model.get("masked")) box.ask("eye");
  return () => heard.forEach(([name, act]) => model.off(name, act));
}

export default { render };
