// The anatomy of one message: raw text, bitmap and elements, drawn from the view that Python made.
// Offsets count characters (code points), as in Python.

const LONG = 24; // elements
const HEAD = 30; // pixels

class Drawing {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.clear = null; // the view with card data, kept here only, never in the model's state
    this.drafts = new Map();
    this.live = make("div", { cls: "ia-inspector", role: "status", "aria-live": "polite" });
  }

  get data() {
    return !this.model.get("masked") && this.clear ? this.clear : this.model.get("view");
  }
  get editable() {
    return this.model.get("editable");
  }
  element(n) {
    return this.data.elements.find((one) => one.number === n);
  }
  set(name, value) {
    if (this.model.get(name) === value) return;
    this.model.set(name, value);
    this.model.save_changes();
  }

  // ---- drawing

  draw() {
    const held = this.held();
    const scrolled = [".ia-raw", ".ia-table"].map((one) => [one, this.el.querySelector(one)?.scrollTop ?? 0]);
    this.hues = new Map(this.data.elements.map((one, at) => [one.number, at % HUES]));
    const lower = make("div", { cls: "ia-lower" }, this.bitmap(), this.table());
    this.el.replaceChildren(...[this.header(), this.fault(), this.raw(), this.bytes(), this.live, lower].filter(Boolean));
    // Of a long message the elements scroll by themselves, so that the text and the bitmap stay in view.
    this.el.classList.toggle("ia-long", this.data.elements.length > LONG || this.data.length > LONG * 40);
    for (const [one, top] of scrolled) this.el.querySelector(one).scrollTop = top;
    this.sift();
    this.light();
    this.hold(held);
    this.reveal();
  }

  // The row that was unfolded last comes into view where the elements scroll by themselves.
  reveal() {
    const pinned = this.model.get("pinned");
    const table = this.el.querySelector(".ia-table");
    const row = pinned !== this.revealed && table.querySelector(`.ia-row[data-n="${pinned}"]`);
    this.revealed = pinned;
    if (!row || table.scrollHeight <= table.clientHeight) return;
    const [box, one] = [table.getBoundingClientRect(), row.getBoundingClientRect()];
    if (one.top < box.top + HEAD || one.bottom > box.bottom) table.scrollTop += one.top - box.top - HEAD;
  }

  header() {
    const data = this.data;
    const counts = ["error", "warning", "info"].map((kind) => [
      kind,
      data.findings.filter((one) => one.severity === kind).length,
    ]);
    const verdict = counts
      .filter(([, count]) => count)
      .map(([kind, count]) =>
        make("span", {
          cls: `ia-badge ia-${kind}`,
          text: `${SIGNS[kind]} ${count} ${WORDS[kind]}${count === 1 ? "" : "s"}`,
        }),
      );
    if (data.valid) verdict.unshift(make("span", { cls: "ia-badge ia-good", text: "✔ valid" }));
    const facts = [`ISO 8583:${data.version}`, data.network, `${data.length} characters`].filter(Boolean);
    return make(
      "div",
      { cls: "ia-header" },
      make("span", { cls: "ia-mti", text: data.mti || "—" }),
      make("span", { cls: "ia-title", text: data.title }),
      ...facts.map((text) => make("span", { cls: "ia-fact", text })),
      ...verdict,
      this.buttons(),
    );
  }

  buttons() {
    const button = (act, text, more) =>
      make("button", { type: "button", cls: "ia-button", data: { act }, text, ...more });
    const taken = ["undo", "redo"].map((act) =>
      button(act, act === "undo" ? "Undo" : "Redo", { disabled: !this.model.get(`can_${act}`) }),
    );
    const edit = button("edit", "Edit", { "aria-pressed": String(this.editable) });
    const switched = this.model.get("can_edit") && this.data.elements.length;
    return make(
      "span",
      { cls: "ia-buttons" },
      this.filterBox(),
      ...(this.editable ? taken : []),
      switched || this.editable ? edit : null,
      this.eyeButton(),
    );
  }

  eyeButton() {
    const masked = this.model.get("masked");
    if (masked && !this.data.hides) return null;
    const text = masked ? "Show card data" : "Hide card data";
    const button = make("button", {
      type: "button",
      cls: "ia-button",
      data: { act: "eye" },
      "aria-pressed": String(!masked),
    });
    button.append(eye(!masked), text);
    return button;
  }

  fault() {
    const fault = this.data.fault;
    if (!fault) return null;
    return make(
      "div",
      { cls: "ia-fault", role: "status" },
      make("strong", { text: `✖ ${fault.sentence}` }),
      make("span", { text: ` ${fault.hint} ` }),
      fault.offer && this.model.get("mends")
        ? make("button", { type: "button", cls: "ia-button", data: { act: "mend" }, text: fault.offer })
        : null,
    );
  }

  raw() {
    const box = make("div", {
      cls: "ia-raw",
      role: "listbox",
      "aria-label": "Raw text",
      "aria-orientation": "horizontal",
      data: { zone: "raw" },
    });
    const told = new Set();
    let ten = null;
    for (const piece of this.pieces()) {
      if (!ten || (piece.at % 10 === 0 && piece.text)) {
        ten = make("span", { cls: "ia-ten", role: "none", data: { offset: piece.at - (piece.at % 10) } });
        box.append(ten);
      }
      const first = !told.has(piece.number);
      told.add(piece.number);
      ten.append(this.piece(piece, first));
    }
    return box;
  }

  piece(piece, first) {
    const element = this.element(piece.number);
    const node = make("span", {
      cls: `ia-piece ia-${piece.kind} ia-h${this.hues.get(piece.number)}`,
      role: first ? "option" : "none",
      tabindex: first ? "-1" : null,
      "aria-selected": first ? String(this.model.get("pinned") === piece.number) : null,
      "aria-label": first && element ? `${label(piece.number)}, ${element.name}, ${element.value}` : null,
      data: { n: piece.number, at: piece.at },
    });
    if (piece.marked) node.classList.add("ia-marked");
    if (!piece.text) node.classList.add("ia-gap");
    const sign = DIFFERS[(this.model.get("compared") || {})[piece.number]];
    if (sign) node.classList.add("ia-differs");
    node.append(...shown(piece.text));
    return node;
  }

  // The segments cut where the ruler has its marks, at each digit of the bitmap, at the parts of what is
  // pinned and at the ends of what is marked.
  pieces() {
    const data = this.data;
    const cuts = new Set(this.model.get("marked") || []);
    const pinned = this.element(this.model.get("pinned"));
    for (const child of pinned ? pinned.children : []) cuts.add(child.start).add(child.end);
    const [from, to] = this.model.get("marked") || [0, 0];
    const made = [];
    for (const segment of data.segments) {
      const chars = Array.from(segment.text);
      const base = { kind: segment.kind, number: segment.number };
      if (!chars.length) made.push({ ...base, at: segment.start, text: "", marked: false });
      let piece = null;
      chars.forEach((char, index) => {
        const at = segment.start + index;
        if (!piece || at % 10 === 0 || segment.kind === "bitmap" || cuts.has(at)) {
          piece = { ...base, at, text: "", marked: from <= at && at < to };
          made.push(piece);
        }
        piece.text += char;
      });
    }
    return made;
  }

  bitmap() {
    const cells = this.data.cells;
    if (!cells.length) return make("div", { cls: "ia-bits ia-none", text: "No bitmap could be read." });
    const grid = make("div", { cls: "ia-bits", role: "grid", "aria-label": "Bitmap", data: { zone: "bits" } });
    for (let start = 0; start < cells.length; start += 64) {
      const name = start ? "Secondary bitmap" : "Primary bitmap";
      const group = make("div", { cls: "ia-map", role: "rowgroup", "aria-label": name });
      for (let at = start; at < start + 64; at += 8) group.append(this.byte(cells.slice(at, at + 8), at / 8 + 1));
      grid.append(group);
    }
    return grid;
  }

  byte(cells, number) {
    const bits = cells.reduce((sum, cell) => 2 * sum + cell.set, 0);
    const hex = make("span", {
      cls: "ia-hex",
      role: "rowheader",
      text: bits.toString(16).toUpperCase().padStart(2, "0"),
      title: `Byte ${number} of the bitmap in hex`,
    });
    return make("div", { cls: "ia-byte", role: "row" }, hex, ...cells.map((cell) => this.cell(cell)));
  }

  cell(cell) {
    const state = cell.set ? (cell.state === "read" ? "set" : `set, ${cell.state}`) : "not set";
    const names = ["ia-bit", cell.set ? "ia-on" : "", cell.state === "unread" ? "ia-waiting" : ""];
    if (cell.state === "fault") names.push("ia-wrong");
    if (!cell.known) names.push("ia-reserved");
    const differs = (this.model.get("compared") || {})[cell.number];
    if (differs) names.push("ia-differs");
    return make("span", {
      cls: names.filter(Boolean).join(" "),
      role: "gridcell",
      tabindex: "-1",
      text: cell.number,
      title: `${cell.number} ${cell.name}: ${state}`,
      "aria-label": `Bit ${cell.number}, ${cell.name}, ${state}`,
      "aria-selected": String(cell.set),
      data: { n: cell.number },
    });
  }

  table() {
    const box = make("div", { cls: "ia-table", role: "treegrid", "aria-label": "Elements", data: { zone: "rows" } });
    const heads = ["DE", "Element", "Format", "Value", "Meaning"];
    const head = make("div", { cls: "ia-head", role: "row" });
    head.append(...heads.map((text) => make("span", { role: "columnheader", text })));
    box.append(head);
    for (const element of this.data.elements) {
      box.append(this.row(element));
      if (element.number === this.model.get("pinned")) box.append(this.details(element));
    }
    if (this.data.general.length && !this.data.fault) box.append(this.general());
    return box;
  }

  row(element) {
    const pinned = element.number === this.model.get("pinned");
    const differs = (this.model.get("compared") || {})[element.number];
    const cell = (cls, text, ...more) => make("span", { cls, role: "gridcell" }, text, ...more);
    const severity = element.severity
      ? make("span", {
          cls: `ia-sign ia-${element.severity}`,
          text: SIGNS[element.severity],
          "aria-label": WORDS[element.severity],
          title: element.findings.map((one) => one.sentence).join("\n"),
        })
      : null;
    const sign = differs ? make("span", { cls: "ia-diffsign", text: DIFFERS[differs], "aria-label": differs }) : null;
    const said = { fault: "does not fit", unread: "not read" }[element.state] || element.meaning;
    return make(
      "div",
      {
        cls: `ia-row ia-h${this.hues.get(element.number)}${pinned ? " ia-pinned" : ""}${differs ? " ia-differs" : ""}`,
        role: "row",
        tabindex: "-1",
        "aria-expanded": String(pinned),
        data: { n: element.number, state: element.state },
      },
      cell("ia-number", short(element.number), severity, sign),
      cell("ia-name", element.name),
      cell("ia-format", element.format),
      cell("ia-value", "", ...shown(element.value)),
      cell("ia-meaning", said),
    );
  }

  details(element) {
    const facts = make("dl", {});
    const fact = (name, text) => facts.append(make("dt", { text: name }), make("dd", { text }));
    if (element.format) fact("Format", `${element.format} — ${element.about}`);
    fact("Place", place(element));
    if (element.note) fact("Note", element.note);
    if (element.meaning) fact("Meaning", element.meaning);
    if (element.hidden) fact("Masked", "card data is masked: press Show card data above");
    const cell = make("div", { cls: "ia-inside", role: "gridcell" }, facts);
    if (element.children.length) cell.append(this.children(element));
    if (element.state === "read" && !element.findings.length)
      cell.append(make("p", { cls: "ia-quiet", text: "No findings for this element." }));
    cell.append(...element.findings.map(finding));
    if (this.editable && element.number !== 1 && !this.data.fault) cell.append(this.editor(element));
    return make("div", { cls: "ia-details", role: "row", data: { of: element.number } }, cell);
  }

  children(element) {
    const list = make("table", { cls: "ia-parts" });
    element.children.forEach((child, at) => {
      const row = make("tr", { data: { from: child.start, to: child.end } });
      const name = make("th", { scope: "row", text: child.label });
      name.style.paddingLeft = `${child.depth}em`;
      row.append(name, make("td", { text: child.name }));
      row.append(make("td", { cls: "ia-value" }, ...this.partValue(element, child, at)));
      row.append(make("td", { text: child.meaning }));
      list.append(row);
    });
    return list;
  }

  // What no element carries, such as one that is missing; folded away unless it makes the message invalid.
  general() {
    const told = this.data.general;
    const wrong = told.some((one) => one.severity === "error");
    const text = `${told.length} message-level finding${told.length === 1 ? "" : "s"}`;
    const fold = make("details", { open: this.unfolded ?? wrong }, make("summary", { text }), ...told.map(finding));
    fold.addEventListener("toggle", () => (this.unfolded = fold.open));
    return make("div", { cls: "ia-general", role: "row" }, make("div", { role: "gridcell" }, fold));
  }
}
