// The bytes that a message came in: hex with offsets and what they print as, linked with all the rest.

const ROW = 16;
const PAGE = 512; // so many bytes are drawn at once, however long a message is

class ByteView extends Filtering {
  get wire() {
    return this.data.bytes;
  }
  span(n) {
    return this.wire ? this.wire.spans.find((one) => one.number === n && one.kind !== "unread") : undefined;
  }
  // The span that a byte stands in.
  spanAt(at) {
    return this.wire.spans.find((one) => one.start <= at && at < one.end);
  }
  // Its bytes in hex, with blanks; empty where one is hidden.
  digits(span) {
    const pairs = this.wire.hex.slice(2 * span.start, 2 * span.end);
    return pairs.includes("•") ? "" : (pairs.match(/../g) || []).join(" ");
  }

  bytes() {
    const wire = this.wire;
    if (!wire) return null;
    this.follow();
    const from = this.page * PAGE;
    const to = Math.min(from + PAGE, wire.size);
    const grid = make("div", { cls: "ia-hexrows", role: "grid", "aria-label": "Bytes", data: { zone: "bytes" } });
    for (let at = from; at < to; at += ROW) grid.append(this.byteRow(at, Math.min(at + ROW, to)));
    const count = `${wire.size} byte${wire.size === 1 ? "" : "s"}`;
    const summary = make("summary", {}, make("strong", { text: "Bytes" }), ` ${count}: ${wire.title}`);
    const fold = make("details", { cls: "ia-bytes", open: this.showBytes ?? true }, summary, grid, this.pager(from, to));
    fold.addEventListener("toggle", () => (this.showBytes = fold.open));
    return fold;
  }

  // The page that has what is pinned, when another element is pinned than before.
  follow() {
    const n = this.model.get("pinned");
    const last = Math.max(0, Math.ceil(this.wire.size / PAGE) - 1);
    const span = n !== this.followed && this.span(n);
    this.followed = n;
    if (span) this.page = Math.floor(span.start / PAGE);
    this.page = Math.min(this.page ?? 0, last);
  }

  pager(from, to) {
    const size = this.wire.size;
    if (size <= PAGE) return null;
    const button = (act, text, off) =>
      make("button", { type: "button", cls: "ia-button", data: { act }, text, disabled: off });
    return make(
      "div",
      { cls: "ia-pager" },
      button("earlier", "Earlier bytes", from === 0),
      make("span", { text: `${from} to ${to - 1} of ${size}` }),
      button("later", "Later bytes", to === size),
    );
  }

  turn(step) {
    this.page += step;
    this.draw();
  }

  byteRow(from, to) {
    const offset = from.toString(16).toUpperCase().padStart(4, "0");
    const row = make("div", { cls: "ia-hexrow", role: "row" });
    row.append(make("span", { cls: "ia-offset", role: "rowheader", text: offset, title: `byte ${from}` }));
    for (let at = from; at < to; at += ROW / 2) {
      const half = make("span", { cls: "ia-half", role: "none" });
      const gutter = make("span", { cls: "ia-gutter", "aria-hidden": "true" });
      for (let byte = at; byte < Math.min(at + ROW / 2, to); byte += 1) {
        const span = this.spanAt(byte);
        half.append(this.byteCell(byte, span));
        gutter.append(make("span", { cls: this.byteClass(span, byte), text: this.char(byte), data: this.names(span) }));
      }
      row.append(half, gutter);
    }
    return row;
  }

  char(at) {
    return this.wire.text[at];
  }
  names(span) {
    return span.number === null ? {} : { n: span.number };
  }
  byteClass(span, at) {
    const prefix = span.kind === "value" && at < span.value_start;
    const hue = span.number === null ? "" : ` ia-h${this.hues.get(span.number)}`;
    return `ia-b ia-b-${prefix ? "prefix" : span.kind}${hue}`;
  }

  byteCell(at, span) {
    const pair = this.wire.hex.slice(2 * at, 2 * at + 2);
    const element = span.number === null ? null : this.element(span.number);
    const what = element ? titled(span.number, element.name) : span.label;
    const said = pair === "••" ? "hidden" : pair;
    return make("span", {
      cls: this.byteClass(span, at),
      role: "gridcell",
      tabindex: "-1",
      text: pair,
      "aria-label": `byte ${at}, ${what}, ${said}`,
      "aria-selected": span.number === null ? null : String(this.model.get("pinned") === span.number),
      data: { b: at, ...this.names(span) },
    });
  }

  inspectByte(at) {
    const span = this.spanAt(at);
    const size = span.end - span.start;
    this.live.replaceChildren(
      make("strong", { text: span.label }),
      make("span", { cls: "ia-said", text: `byte ${at}; ${size} byte${size === 1 ? "" : "s"} from byte ${span.start} on` }),
    );
  }

  // The bytes of some characters of the text form, where it is known which they are.
  lightBytes(from, to) {
    const lit = this.el.querySelectorAll(".ia-bytes .ia-part");
    if (!this.wire || (from === to && !lit.length)) return;
    const [first, last] = this.bytesOf(from, to);
    for (const node of this.el.querySelectorAll(".ia-bytes [data-b]"))
      node.classList.toggle("ia-part", first <= Number(node.dataset.b) && Number(node.dataset.b) < last);
  }
  bytesOf(from, to) {
    const element = this.data.elements.find((one) => one.value_start <= from && to <= one.end);
    const span = element && this.span(element.number);
    if (!span || !span.chars || from === to) return [0, 0];
    const place = (char) => (char - element.value_start + span.pad) / span.chars;
    return [span.value_start + Math.floor(place(from)), span.value_start + Math.ceil(place(to))];
  }

  // In edit mode two hex digits typed on a byte take its place. True where the key was one of them.
  overtype(event, node) {
    const digit = event.key.length === 1 && /[0-9A-Fa-f]/.test(event.key) ? event.key.toUpperCase() : "";
    const at = Number(node.dataset.b);
    if (!this.editable || !digit) {
      this.half = null;
      return false;
    }
    if (this.half && this.half.at === at) {
      this.model.send({ ask: "bytes", at, end: at + 1, value: this.half.digit + digit });
      this.half = null;
    } else {
      this.half = { at, digit };
      this.live.replaceChildren(make("span", { text: `byte ${at}: ${digit}_ in place of ${node.textContent}; type the second digit` }));
    }
    return true;
  }
}
