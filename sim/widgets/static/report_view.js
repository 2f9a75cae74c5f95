// The verdict, the networks and the findings of ReportView. Rows are buttons; picking one tells Python.

const SIGNS = { error: "✖", warning: "▲", info: "ℹ" };
const RESULTS = { passed: "✔ would pass", failed: "✖ would fail", foreign: "– other network" };
const VERDICTS = { valid: "✔", invalid: "✖", broken: "✖", empty: "" };

function make(tag, cls, text) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = text;
  return node;
}

const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function verdict(data) {
  const { state, words } = data.verdict;
  const box = make("div", `irv-verdict irv-${state}`);
  box.setAttribute("role", "status");
  box.append(make("span", "irv-sign", VERDICTS[state]), make("span", "", words));
  return box;
}

function network(row, shown) {
  const state = row.foreign ? "foreign" : row.passed ? "passed" : "failed";
  const button = make("button", `irv-network irv-${state}`);
  button.type = "button";
  button.dataset.network = row.name;
  button.setAttribute("aria-pressed", String(shown === row.name));
  const counts = [row.errors && many(row.errors, "error"), row.warnings && many(row.warnings, "warning")];
  counts.push(row.hints && many(row.hints, "hint"));
  button.append(
    make("span", "irv-title", row.title),
    make("span", "irv-result", RESULTS[state]),
    make("span", "irv-counts", counts.filter(Boolean).join(", ") || "no findings"),
  );
  return button;
}

// The other networks: its own has spoken in the verdict.
function elsewhere(data, shown) {
  const others = data.networks.filter((row) => !row.own);
  if (!others.length) return [];
  const box = make("div", "irv-networks");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Other networks: choose one to see its findings");
  others.forEach((row) => box.append(network(row, shown)));
  const own = data.networks.length > others.length;
  return [make("h4", "irv-elsewhere", own ? "Check against other networks" : "Check against networks"), box];
}

function finding(one, at, picked) {
  const item = make("li");
  const button = make("button", `irv-finding irv-${one.severity}`);
  button.type = "button";
  button.dataset.at = at;
  button.setAttribute("aria-pressed", String(at === picked));
  const head = make("span", "irv-head");
  head.append(make("span", "irv-sign", `${SIGNS[one.severity]} ${one.severity}`), make("strong", "", `${one.place} ${one.name}`.trim()));
  button.append(head, make("span", "irv-sentence", one.sentence));
  if (one.hint) button.append(make("span", "irv-hint", one.hint));
  const from = [one.network, one.source].filter(Boolean).join(" · ");
  if (from) button.append(make("span", "irv-source", from));
  item.append(button);
  return item;
}

function findings(data, whose, picked) {
  const box = make("section", "irv-findings");
  const row = data.networks.find((one) => one.name === whose);
  const title = row ? `Findings of ${row.title}` : "Findings";
  box.append(make("h4", "", title));
  if (!data.findings.length) box.append(make("p", "irv-none", row ? `${row.title} has no findings.` : "No findings."));
  const list = make("ol");
  list.setAttribute("aria-label", title);
  data.findings.forEach((one, at) => list.append(finding(one, at, picked)));
  if (data.findings.length) box.append(list);
  return box;
}

function held(el) {
  const now = document.activeElement;
  if (!now || !el.contains(now)) return null;
  if (now.dataset.network) return `[data-network="${now.dataset.network}"]`;
  return now.dataset.at ? `[data-at="${now.dataset.at}"]` : null;
}

function render({ model, el }) {
  el.classList.add("irv");
  el.dataset.lmSuppressShortcuts = "true";
  const draw = () => {
    const data = model.get("data");
    const focus = held(el);
    const parts = data.verdict.state === "empty" ? [] : [verdict(data)];
    const whose = data.networks.some((row) => row.name === model.get("network") && !row.own) ? model.get("network") : "";
    if (parts.length && !whose) parts.push(findings(data, "", model.get("picked")));
    parts.push(...elsewhere(data, model.get("network")));
    if (parts.length && whose) parts.push(findings(data, whose, model.get("picked")));
    el.replaceChildren(...parts);
    if (focus) el.querySelector(focus)?.focus();
  };
  const pick = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const name = button.dataset.network ? "network" : "picked";
    const now = button.dataset.network ?? Number(button.dataset.at);
    const none = name === "network" ? "" : null;
    model.set(name, model.get(name) === now ? none : now);
    model.save_changes();
  };
  const names = ["data", "network", "picked"];
  names.forEach((name) => model.on(`change:${name}`, draw));
  el.addEventListener("click", pick);
  draw();
  return () => {
    names.forEach((name) => model.off(`change:${name}`, draw));
    el.removeEventListener("click", pick);
  };
}

export default { render };
