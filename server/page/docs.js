"use strict";
// Draws the page from the OpenAPI document. Text only ever enters as textContent.

const spec = JSON.parse(document.getElementById("document").textContent);
const schemas = spec.components.schemas;

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) node.append(child);
  return node;
}

const nameOf = (schema) => schema.$ref.split("/").pop();
const resolve = (schema) => (schema.$ref ? resolve(schemas[nameOf(schema)]) : schema);

// The part of a schema that is not null, looked up: what a form has to offer.
function shape(schema) {
  const parts = (schema.anyOf || [schema]).filter((part) => part.type !== "null");
  return resolve(parts[0]);
}

function typeName(schema) {
  if (schema.$ref) return nameOf(schema);
  if (schema.anyOf) return schema.anyOf.map(typeName).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return "array of " + typeName(schema.items || {});
  return schema.type || "any";
}

function limits(schema) {
  const parts = [schema, ...(schema.anyOf || [])];
  const words = [];
  for (const part of parts) {
    if (part.minimum !== undefined) words.push(`${part.minimum} to ${part.maximum}`);
    if (part.maxLength !== undefined) words.push(`at most ${part.maxLength} characters`);
    if (part.pattern !== undefined) words.push(`pattern ${part.pattern}`);
  }
  if (schema.default !== undefined) words.push(`default ${JSON.stringify(schema.default)}`);
  return words.join(", ");
}

// On a narrow page each cell stands beneath the other with its head in front.
function table(head, rows) {
  const heads = make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)));
  const body = rows.map((row) => make("tr", {}, ...row.map((value, at) => make("td", { "data-head": head[at] }, value))));
  return make("table", {}, make("thead", {}, heads), make("tbody", {}, ...body));
}

function fieldTable(schema) {
  const required = schema.required || [];
  const rows = Object.entries(schema.properties || {}).map(([name, field]) => [
    make("code", {}, name), make("code", {}, typeName(field)),
    required.includes(name) ? "yes" : "no", limits(field), field.description || "",
  ]);
  return table(["Field", "Type", "Required", "Limits", "Meaning"], rows);
}

// One input of a form. `read` gives undefined where nothing was entered.
function inputFor(name, field, id) {
  const inner = shape(field);
  if (inner.type === "array") return choices(name, resolve(inner.items).enum, id);
  let node;
  if (inner.enum || inner.type === "boolean") {
    const values = inner.enum || ["true", "false"];
    node = make("select", { id }, make("option", { value: "" }, "(left out)"),
      ...values.map((value) => make("option", { value }, value)));
  } else if (name === "message" || name === "description" || inner.type === "object") {
    node = make("textarea", { id, spellcheck: "false" });
  } else {
    node = make("input", { id, autocomplete: "off", spellcheck: "false" });
  }
  const read = () => {
    if (node.value === "") return undefined;
    if (inner.type === "boolean") return node.value === "true";
    // A number that is none is sent as it was typed: the server says what is wrong with it.
    if (inner.type === "integer" && node.value.trim() !== "" && Number.isFinite(Number(node.value))) {
      return Number(node.value);
    }
    // So is an object that is none.
    if (inner.type === "object") try { return JSON.parse(node.value); } catch { return node.value; }
    return node.value;
  };
  const write = (value) => {
    node.value = value === undefined ? "" : inner.type === "object" ? JSON.stringify(value) : String(value);
  };
  return { node: make("div", {}, make("label", { for: id }, name), node), read, write };
}

function choices(name, values, id) {
  const boxes = values.map((value) => make("input", { type: "checkbox", id: `${id}-${value}`, value }));
  const labels = boxes.map((box) => make("label", { for: box.id }, box, " " + box.value));
  const node = make("fieldset", {}, make("legend", {}, name), ...labels);
  const read = () => {
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    return chosen.length ? chosen : undefined;
  };
  const write = (value) => { for (const box of boxes) box.checked = (value || []).includes(box.value); };
  return { node, read, write };
}

function showAnswer(place, status, body) {
  const mark = make("p", { class: "status " + (status < 400 ? "good" : "bad") },
    `${status < 400 ? "\u2713" : "\u2717"} Status ${status}`);
  place.replaceChildren(mark, make("pre", {}, body));
}

// `path` loses its slash: relative to this page, it also works behind a proxy's prefix.
async function send(path, options, place) {
  try {
    const answer = await fetch(path.slice(1), options);
    const text = await answer.text();
    let shown = text;
    try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON: as it is */ }
    showAnswer(place, answer.status, shown);
  } catch (error) {
    place.replaceChildren(make("p", { class: "status bad" }, `\u2717 No answer: ${error.message}`));
  }
}

// For a POSIX shell: a quote inside quotes is closed, written and opened again.
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function command(path, body) {
  const address = new URL(path.slice(1), location.href).href;
  const header = "Content-Type: application/json";
  return `curl -sS ${quoted(address)} \\\n  -H ${quoted(header)} \\\n  --data-raw ${quoted(body)}`;
}

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where the page may not use the clipboard (no https), the old way.
    const area = make("textarea", { "aria-label": "Text to be copied" });
    area.value = text;
    said.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  said.textContent = "Copied.";
}

function tryForm(path, content) {
  const schema = resolve(content.schema);
  const required = schema.required || [];
  const inputs = Object.entries(schema.properties).map(([name, field]) =>
    [name, inputFor(name, field, `${path.slice(1)}-${name}`)]);
  const sent = make("pre", { "aria-label": "Request body" });
  const answer = make("div", { role: "status", "aria-live": "polite" });
  const body = () => {
    const values = inputs.map(([name, input]) => [name, input.read()]);
    const given = values.filter(([name, value]) => value !== undefined || required.includes(name));
    return JSON.stringify(Object.fromEntries(given.map(([name, value]) => [name, value ?? ""])), null, 2);
  };
  const refresh = () => { said.textContent = ""; sent.textContent = `POST ${path}\nContent-Type: application/json\n\n${body()}`; };
  const fill = (example) => { for (const [name, input] of inputs) input.write(example[name]); refresh(); };
  const example = make("button", { type: "button", class: "second" }, "Example");
  const clear = make("button", { type: "button", class: "second" }, "Clear");
  const shell = make("button", { type: "button", class: "second" }, "Copy as curl");
  const said = make("span", { role: "status", class: "soft" });
  const form = make("form", {}, ...inputs.map(([, input]) => input.node), sent,
    make("div", { class: "buttons" }, make("button", { type: "submit" }, "Send"), shell, example, clear, said), answer);
  shell.addEventListener("click", () => copy(command(path, body()), said));
  example.addEventListener("click", () => fill(content.example || {}));
  clear.addEventListener("click", () => fill({}));
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: body() }, answer);
  });
  fill(content.example || {});
  return form;
}

function plainTry(path) {
  const answer = make("div", { role: "status", "aria-live": "polite" });
  const button = make("button", { type: "button" }, "Send");
  button.addEventListener("click", () => send(path, {}, answer));
  return make("div", {}, button, answer);
}

const schemaLink = (schema) =>
  make("a", { href: "#" + nameOf(schema) }, nameOf(schema));

function operation(path, method, detail) {
  const id = detail.operationId;
  const node = make("section", { id, "aria-labelledby": id + "-title" },
    make("h2", { id: id + "-title" }, make("span", { class: "method" }, method.toUpperCase()),
      make("code", {}, path)),
    make("p", {}, detail.summary + ". " + (detail.description || "")));
  const content = detail.requestBody && detail.requestBody.content["application/json"];
  if (content) node.append(make("h3", {}, "Request: ", schemaLink(content.schema)), fieldTable(resolve(content.schema)),
    make("p", { class: "soft" }, detail.requestBody.description));
  const rows = Object.entries(detail.responses).map(([status, response]) =>
    [status, response.description, schemaLink(response.content["application/json"].schema)]);
  node.append(make("h3", {}, "Answers"), table(["Status", "When", "Body"], rows),
    make("h3", {}, "Try it"), content ? tryForm(path, content) : plainTry(path));
  return node;
}

function record(name, schema) {
  const node = make("section", { id: name, "aria-labelledby": name + "-title" },
    make("h2", { id: name + "-title" }, name), make("p", {}, schema.description || ""));
  node.append(schema.properties ? fieldTable(schema) : make("p", {}, make("code", {}, typeName(schema))));
  return node;
}

const operations = Object.entries(spec.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, detail]) => [path, method, detail]));
const links = operations.map(([path, , detail]) =>
  make("li", {}, make("a", { href: "#" + detail.operationId }, path)));
links.push(make("li", {}, make("a", { href: "#records" }, "Records")),
  make("li", {}, make("a", { href: "openapi.json" }, "openapi.json")));
document.getElementById("contents").append(make("ul", {}, ...links));
document.getElementById("head").append(make("h1", {}, spec.info.title),
  make("p", { class: "soft" }, `Version ${spec.info.version}. ${spec.info.description || ""}`));
document.getElementById("main").replaceChildren(
  ...operations.map((entry) => operation(...entry)),
  make("h2", { id: "records" }, "Records"),
  ...Object.entries(schemas).map((entry) => record(...entry)));
