// Changing a message in the anatomy: values, parts of them, bytes; what Python says of it.

class Editing extends ByteView {
  get mayEdit() {
    return this.editable && !this.data.fault;
  }

  editor(element) {
    const n = element.number;
    const hidden = element.hidden;
    const rows = [this.field(`${n}`, "Value", hidden ? "" : element.value, hidden, "apply", { edit: n })];
    const span = this.span(n);
    if (span) {
      const digits = this.digits(span);
      rows.push(this.field(`${n}-bytes`, "Bytes", digits, !digits, "apply-bytes", { hold: `bytes-${n}`, of: n }));
    }
    const drop = make("button", { type: "button", cls: "ia-button", data: { act: "drop" }, text: "Remove element" });
    return make(
      "div",
      { cls: "ia-editor" },
      ...rows.flat(),
      n > 1 ? drop : null,
      make("div", { id: `ia-${this.mark}-${n}-error`, cls: "ia-refused", role: "alert", text: this.refused(n) }),
    );
  }

  // A label, a text box that keeps what was typed over a drawing, and the button that applies it.
  field(key, text, value, hidden, act, data) {
    const id = `ia-${this.mark}-${key}`;
    const n = data.edit ?? data.of;
    const input = this.input(key, value, hidden, data, { id, "aria-describedby": `ia-${this.mark}-${n}-error` });
    const button = make("button", {
      type: "button",
      cls: "ia-button",
      data: { act },
      "aria-label": act === "apply" ? null : "Apply bytes",
      text: "Apply",
    });
    return [make("label", { for: id, text }), input, button];
  }

  input(key, value, hidden, data, more) {
    const input = make("input", {
      cls: "ia-input",
      type: "text",
      spellcheck: "false",
      autocomplete: "off",
      placeholder: hidden ? "hidden: type a new value" : "",
      "aria-invalid": String(Boolean(this.refused(Number(data.edit ?? data.of)))),
      data,
      ...more,
    });
    input.value = this.drafts.has(key) ? this.drafts.get(key) : value;
    input.addEventListener("input", () => this.drafts.set(key, input.value));
    return input;
  }

  // The value of a part: in edit mode a box, where it is the innermost.
  partValue(element, child, at) {
    const after = element.children[at + 1];
    const inner = !(after && after.depth > child.depth) && child.end > child.start;
    if (!this.mayEdit || !inner) return shown(child.value);
    const from = child.start - element.value_start;
    const chars = Array.from(element.value).slice(from, child.end - element.value_start);
    const hidden = chars.includes("*");
    const key = `part-${element.number}-${at}`;
    const data = { part: at, of: element.number, hold: key };
    const said = `${child.label} ${child.name}`;
    return [this.input(key, hidden ? "" : chars.join(""), hidden, data, { "aria-label": said })];
  }

  refused(n) {
    const problem = this.model.get("problem") || {};
    return problem.number === n ? `✖ ${problem.text}` : "";
  }

  // What a problem or a notice says stands in the line that tells of everything; true where there is one.
  told() {
    const problem = this.model.get("problem") || {};
    const notice = this.model.get("notice");
    const elsewhere = problem.number !== undefined && this.model.get("pinned") !== problem.number;
    this.live.classList.toggle("ia-refused", elsewhere);
    if (elsewhere) this.live.replaceChildren(make("span", { text: `✖ ${problem.text}` }));
    else if (notice && !this.live.querySelector(".ia-notice")) // a button that is pointed at must stay
      this.live.replaceChildren(
        make("span", { cls: "ia-notice", text: notice }),
        make("button", { type: "button", cls: "ia-button", data: { act: "undo", hold: "undo-notice" }, text: "Undo this" }),
      );
    return elsewhere || Boolean(notice);
  }

  // An edit was refused or went through: say so beside its input, leave what was typed.
  answered() {
    const problem = this.model.get("problem") || {};
    if (problem.number === undefined) this.drafts.clear();
    for (const input of this.el.querySelectorAll(".ia-input"))
      input.setAttribute("aria-invalid", String(Boolean(this.refused(Number(input.dataset.edit ?? input.dataset.of)))));
    for (const line of this.el.querySelectorAll(".ia-editor > .ia-refused"))
      line.textContent = this.refused(this.number(line));
    this.inspect(this.model.get("hovered") ?? this.model.get("pinned"));
  }

  enter(input) {
    const { edit, part, of } = input.dataset;
    if (edit !== undefined) this.apply(Number(edit));
    else if (part !== undefined) this.applyPart(Number(of), Number(part), input.value);
    else this.applyBytes(Number(of));
  }

  apply(n) {
    const input = this.el.querySelector(`.ia-input[data-edit="${n}"]`);
    if (input) this.model.send({ ask: "set", number: n, value: input.value });
  }
  applyPart(n, place, value) {
    const element = this.element(n);
    const child = element.children[place];
    const [at, end] = [child.start - element.value_start, child.end - element.value_start];
    this.model.send({ ask: "part", number: n, at, end, value });
  }
  applyBytes(n) {
    const span = this.span(n);
    const input = this.el.querySelector(`.ia-input[data-hold="bytes-${n}"]`);
    if (span && input) this.model.send({ ask: "bytes", at: span.start, end: span.end, value: input.value });
  }
  toggle(n) {
    if (n > 1) this.model.send({ ask: "toggle", number: n });
  }

  // What Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y ask for.
  taking(event) {
    const key = event.key.toLowerCase();
    if (key === "z") return event.shiftKey ? "redo" : "undo";
    return key === "y" ? "redo" : "";
  }
}
