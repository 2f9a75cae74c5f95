// What the widgets share: making nodes, texts and small pictures. The files of this folder are joined, this
// one first. Text from a message goes in as textContent only.

const HUES = 6;
const SIGNS = { error: "✖", warning: "▲", info: "ℹ" };
const WORDS = { error: "error", warning: "warning", info: "hint" };
const DIFFERS = { changed: "≠", added: "+", removed: "−" };
const SVG = "http://www.w3.org/2000/svg";

function make(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name === "data") Object.assign(node.dataset, value);
    else node.setAttribute(name === "cls" ? "class" : name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const label = (n) => (n === 0 ? "MTI" : n === 1 ? "Bitmap" : n === -1 ? "Rest" : `DE ${n}`);
const titled = (n, name) => (n === 1 ? name : `${label(n)} ${name}`);
const short = (n) => (n === 0 ? "MTI" : n === 1 ? "Bits" : n === -1 ? "…" : String(n));

// Blanks are drawn as blanks with a mark under them, control characters as their pictures.
function shown(text) {
  const parts = [];
  for (const run of text.match(/ +|[\u0000-\u001f\u007f]+|[^ \u0000-\u001f\u007f]+/gu) || []) {
    if (run[0] === " ") parts.push(make("span", { cls: "ia-blank", text: run }));
    else if (run[0] < " " || run[0] === "\u007f")
      parts.push(make("span", { cls: "ia-control", text: [...run].map(picture).join("") }));
    else parts.push(document.createTextNode(run));
  }
  return parts;
}
const picture = (char) => (char === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + char.charCodeAt(0)));

function eye(open) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const lines = ["M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12z", "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"];
  if (!open) lines.push("M4 20L20 4");
  for (const d of lines) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

function nearest(stops, node, line) {
  const box = node.getBoundingClientRect();
  let best = null;
  let least = Infinity;
  for (const other of stops) {
    const there = other.getBoundingClientRect();
    const down = (there.top - box.top) * line;
    const cost = down * 1000 + Math.abs(there.left - box.left);
    if (down > 1 && cost < least) [best, least] = [other, cost];
  }
  return best;
}

function place(element) {
  const size = element.end - element.start;
  const text = `offset ${element.start} to ${element.end}, ${size} character${size === 1 ? "" : "s"}`;
  return element.prefix ? `${text}: length prefix ${element.prefix}, then the value` : text;
}

function finding(one) {
  const box = make("div", { cls: `ia-finding ia-${one.severity}` });
  box.append(make("strong", { text: `${SIGNS[one.severity]} ${one.sentence}` }));
  if (one.hint) box.append(make("span", { text: ` ${one.hint}` }));
  box.append(make("small", { text: [one.network, one.rule, one.source].filter(Boolean).join(" · ") }));
  return box;
}
