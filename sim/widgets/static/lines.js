// Lines that come while they are looked at, the latest on top. A line is known by its own number: which one was
// meant does not depend on how many have come since.

function render({ model, el }) {
  const own = `il-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`; // ids of this drawing alone in its page
  const make = (tag, name) => Object.assign(document.createElement(tag), { className: name });
  const title = make("div", "il-title");
  const list = make("div", "il-list");
  const none = make("p", "il-none");
  const tail = make("div", "il-tail"); // room to scroll by, while lines must not move
  title.id = `${own}-title`;
  list.tabIndex = 0;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-labelledby", title.id);
  tail.setAttribute("role", "presentation");
  el.classList.add("il");
  el.dataset.lmSuppressShortcuts = "true";
  el.replaceChildren(title, list, none);

  const held = new Map(); // lines by their numbers
  let pressed = 0;
  let follows = false;

  function line(number, text) {
    const made = held.get(number) ?? make("div", "il-line");
    if (made.textContent !== text) made.textContent = text;
    made.id = `${own}-${number}`;
    made.dataset.number = number;
    made.setAttribute("role", "option");
    held.set(number, made);
    return made;
  }

  function draw() {
    const rows = model.get("rows");
    title.textContent = model.get("title");
    none.textContent = model.get("nothing");
    none.hidden = rows.length > 0;
    list.hidden = rows.length === 0;
    // What is pointed at, or was scrolled to, stays where it is.
    const still = list.scrollTop > 0 || list.matches(":hover");
    const anchor = still ? [...list.children].find((one) => one.offsetTop + one.offsetHeight > list.scrollTop) : null;
    const before = anchor ? anchor.offsetTop - list.scrollTop : 0;
    const known = new Set(rows.map(([number]) => number));
    for (const [number, node] of held) if (!known.has(number)) held.delete(number) && node.remove();
    let next = list.firstChild;
    for (const [number, text] of rows) {
      const node = line(number, text);
      if (node === next) next = next.nextSibling;
      else list.insertBefore(node, next);
    }
    list.append(tail);
    if (anchor?.isConnected && anchor !== tail) {
      const down = anchor.offsetTop - before;
      tail.style.height = `${Math.max(0, down + list.clientHeight - tail.offsetTop)}px`;
      list.scrollTop = down;
    } else tail.style.height = "0";
    mark();
  }

  function mark() {
    const chosen = model.get("chosen");
    for (const [number, node] of held) node.setAttribute("aria-selected", String(number === chosen));
    if (held.has(chosen)) list.setAttribute("aria-activedescendant", `${own}-${chosen}`);
    else list.removeAttribute("aria-activedescendant");
  }

  function choose(number) {
    model.set("chosen", number);
    model.save_changes();
    mark();
  }

  function reveal(node) {
    const low = node.offsetTop + node.offsetHeight - list.clientHeight;
    list.scrollTop = Math.min(node.offsetTop, Math.max(low, list.scrollTop));
  }

  list.addEventListener("pointerenter", () => (follows = list.scrollTop === 0));
  list.addEventListener("pointerleave", () => {
    if (follows) list.scrollTop = 0;
    if (follows) tail.style.height = "0";
  });
  list.addEventListener("wheel", () => (follows = false), { passive: true });
  // The line that was under the pointer as it came down.
  list.addEventListener("pointerdown", (event) => {
    pressed = Number(event.target.closest(".il-line")?.dataset.number ?? 0);
    follows = false;
  });
  list.addEventListener("click", () => pressed && choose(pressed));
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const lines = [...list.querySelectorAll(".il-line")];
    const at = lines.indexOf(held.get(model.get("chosen")));
    const page = Math.max(1, Math.floor(list.clientHeight / lines[0].offsetHeight) - 1);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    const node = lines[Math.min(Math.max(steps[event.key], 0), lines.length - 1)];
    choose(Number(node.dataset.number));
    reveal(node);
  });

  const heard = { "change:rows": draw, "change:chosen": mark };
  for (const [name, act] of Object.entries(heard)) model.on(name, act);
  draw();
  return () => Object.entries(heard).forEach(([name, act]) => model.off(name, act));
}

export default { render };
