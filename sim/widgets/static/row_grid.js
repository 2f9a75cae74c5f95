// A grid of any length: the browser holds the rows that are seen and those around them.
const HEIGHT = 26;
const TALLEST = 8_000_000; // browsers draw nothing taller than some ten million pixels
const PAGE = 100;
const KEPT = 3000;
const LEAST = 46; // pixels of a grid besides its rows
const TICK = 34; // pixels of the column of ticks

function node(tag, names, text) {
  const made = document.createElement(tag);
  if (names) made.className = names;
  if (text !== undefined) made.textContent = text;
  return made;
}

function render({ model, el }) {
  const own = `rg-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`; // ids of this drawing alone in its page
  const root = node('div', 'rg');
  const scroller = node('div', 'rg-scroll');
  const head = node('div', 'rg-head');
  const tall = node('div', 'rg-tall');
  const layer = node('div', 'rg-layer');
  const empty = node('p', 'rg-empty');
  const whole = node('dl', 'rg-whole');
  const bar = node('div', 'rg-bar');
  const filter = node('input');
  const told = node('span', 'rg-count');
  scroller.setAttribute('role', 'grid');
  scroller.setAttribute('aria-multiselectable', 'true');
  scroller.tabIndex = 0;
  head.setAttribute('role', 'row');
  const top = node('div'), body = layer;
  top.setAttribute('role', 'rowgroup');
  top.className = 'rg-top';
  body.setAttribute('role', 'rowgroup');
  top.append(head);
  tall.append(layer);
  scroller.append(top, tall);
  filter.type = 'search';
  filter.id = `${own}-filter`;
  filter.placeholder = 'Filter rows';
  filter.autocomplete = 'off';
  filter.spellcheck = false;
  const label = node('label', '', 'Filter');
  label.htmlFor = filter.id;
  told.setAttribute('role', 'status');
  whole.setAttribute('aria-label', 'The current row');
  bar.append(label, filter, told);
  root.append(...(model.get('filters') ? [bar] : []), scroller, empty, whole);
  el.append(root);
  el.dataset.lmSuppressShortcuts = 'true'; // what is typed here is not for the notebook

  let held = new Map();
  let asked = new Set();
  let timer = 0;
  let places = [];
  let width = 0;

  const count = () => model.get('count');
  const chosen = () => new Set(model.get('chosen'));
  const ticks = model.get('ticks');
  // A cell is a text, or a text and the address that it leads to.
  const words = cell => (Array.isArray(cell) ? cell[0] : cell);
  const ground = () => Math.max(1, scroller.clientHeight - top.offsetHeight);
  const spacer = () => Math.min(count() * HEIGHT, TALLEST);
  // How far down the rows are, in pixels of all rows, where the box is scrolled by `scrollTop`.
  const ratio = () => {
    const room = spacer() - ground();
    return room > 0 ? (count() * HEIGHT - ground()) / room : 1;
  };
  const offset = () => scroller.scrollTop * ratio();

  function fresh() {
    held = new Map(model.get('first').map((row, at) => [at, row]));
    asked = new Set();
  }

  function lay() {
    const letter = 7.4;
    places = [];
    width = ticks ? TICK : 0;
    for (const column of model.get('columns')) {
      const size = Math.round(column.wide * letter) + 18;
      places.push({ ...column, left: width, size });
      width += size;
    }
    head.replaceChildren();
    const corner = node('div', 'rg-cell rg-tick', '✓');
    corner.setAttribute('role', 'columnheader');
    corner.setAttribute('aria-label', 'Selected');
    corner.style.left = '0px';
    if (ticks) head.append(corner);
    const order = model.get('order');
    places.forEach((column, at) => {
      const cell = node('div', `rg-cell${column.right ? ' right' : ''}`);
      const sorted = order.name === column.name;
      cell.setAttribute('role', 'columnheader');
      cell.setAttribute('aria-sort', sorted ? (order.descending ? 'descending' : 'ascending') : 'none');
      cell.setAttribute('aria-colindex', at + 2);
      cell.title = `${column.title}: click to sort`;
      cell.style.left = `${column.left}px`;
      cell.style.width = `${column.size}px`;
      const button = node('button', '', column.name + (sorted ? (order.descending ? ' ▼' : ' ▲') : ''));
      button.type = 'button';
      button.tabIndex = -1;
      button.addEventListener('click', () => {
        const now = model.get('order');
        const same = now.name === column.name;
        model.set('order', same && now.descending ? {} : { name: column.name, descending: same });
        model.save_changes();
      });
      cell.append(button);
      head.append(cell);
    });
    head.style.width = `${width}px`;
    tall.style.width = `${width}px`;
    scroller.setAttribute('aria-colcount', places.length + 1);
  }

  function ask(from, to) {
    const want = [];
    for (let at = from; at < to; at += 1) if (!held.has(at) && !asked.has(at)) want.push(at);
    if (!want.length) return;
    const start = Math.floor(want[0] / PAGE) * PAGE;
    const end = Math.min(count(), Math.ceil((want[want.length - 1] + 1) / PAGE) * PAGE);
    for (let at = start; at < end; at += 1) asked.add(at);
    model.send({ ask: 'rows', start, end, stamp: model.get('stamp') });
  }

  function draw() {
    const rows = count();
    scroller.setAttribute('aria-label', `${model.get('title')}: ${rows.toLocaleString('en')} rows`);
    scroller.setAttribute('aria-rowcount', rows + 1);
    empty.textContent = model.get('nothing');
    count_told(rows);
    show_whole();
    empty.hidden = rows > 0;
    scroller.hidden = rows === 0;
    if (!rows) return;
    root.style.setProperty('--rg-height', `${LEAST + Math.min(model.get('seen'), rows) * HEIGHT}px`);
    // Out of sight there is no size to draw by; what was drawn before stays.
    if (!scroller.clientHeight) return;
    tall.style.height = `${spacer()}px`;
    const down = offset();
    const from = Math.max(0, Math.floor(down / HEIGHT));
    const to = Math.min(rows, from + Math.ceil(ground() / HEIGHT) + 1);
    const left = scroller.scrollLeft, right = left + scroller.clientWidth;
    const seen = places.filter(column => column.left + column.size > left && column.left < right);
    const ticked = chosen();
    const current = model.get('current');
    layer.style.transform = `translateY(${scroller.scrollTop - (down - from * HEIGHT)}px)`;
    layer.replaceChildren(...Array.from({ length: to - from }, (_, at) => line(from + at, at, seen, ticked, current)));
    if (current >= from && current < to) scroller.setAttribute('aria-activedescendant', `${own}-${current}`);
    else scroller.removeAttribute('aria-activedescendant');
    clearTimeout(timer);
    timer = setTimeout(() => ask(from, to), held.has(from) && held.has(to - 1) ? 0 : 40);
  }

  function count_told(rows) {
    const total = model.get('total');
    const said = rows.toLocaleString('en');
    told.textContent = rows < total ? `${said} of ${total.toLocaleString('en')} rows` : `${said} row${rows === 1 ? '' : 's'}`;
  }

  // The current row, all of whose cells are read whole.
  function show_whole() {
    const row = model.get('whole') ? held.get(model.get('current')) : null;
    whole.hidden = !row;
    if (!row) return;
    const parts = places.flatMap((column, at) =>
      column.name.trim() && words(row[2][at]) ? [node('dt', '', column.name), filled(node('dd'), row[2][at])] : []);
    whole.replaceChildren(...parts);
  }

  function filled(box, cell) {
    if (!Array.isArray(cell)) box.textContent = cell;
    else {
      const link = node('a', '', cell[0]);
      link.href = cell[1];
      link.target = '_blank';
      link.rel = 'noopener';
      box.append(link);
    }
    return box;
  }

  function line(place, at, seen, ticked, current) {
    const row = held.get(place);
    const drawn = node('div', 'rg-row');
    drawn.setAttribute('role', 'row');
    drawn.id = `${own}-${place}`;
    drawn.setAttribute('aria-rowindex', place + 2);
    drawn.style.top = `${at * HEIGHT}px`;
    drawn.style.width = `${width}px`;
    if (place % 2) drawn.classList.add('odd');
    if (place === current) drawn.classList.add('current');
    drawn.dataset.place = place;
    const on = Boolean(row) && ticked.has(row[0]);
    drawn.setAttribute('aria-selected', String(on));
    if (ticks) {
      const tick = node('div', 'rg-cell rg-tick', on ? '☑' : '☐');
      tick.setAttribute('role', 'gridcell');
      tick.setAttribute('aria-label', on ? 'selected' : 'not selected');
      drawn.append(tick);
    }
    if (row && row[1]) drawn.classList.add(row[1]);
    seen.forEach(column => {
      const given = row ? row[2][places.indexOf(column)] : '…';
      const text = words(given);
      const cell = filled(node('div', `rg-cell${column.right ? ' right' : ''}`), given);
      cell.setAttribute('role', 'gridcell');
      cell.setAttribute('aria-colindex', places.indexOf(column) + 2);
      cell.style.left = `${column.left}px`;
      cell.style.width = `${column.size}px`;
      if (text.length > column.wide) cell.title = text;
      drawn.append(cell);
    });
    return drawn;
  }

  function look(place) {
    const at = Math.min(Math.max(place, 0), count() - 1);
    model.set('current', at);
    model.save_changes();
    reveal(at);
    draw();
  }

  function reveal(place) {
    const down = offset();
    const low = place * HEIGHT, high = low + HEIGHT - ground();
    if (low < down) scroller.scrollTop = low / ratio();
    else if (high > down) scroller.scrollTop = Math.ceil(high / ratio());
  }

  function tick(place) {
    const row = held.get(place);
    if (!row || !ticks) return;
    const now = chosen();
    if (!now.delete(row[0])) now.add(row[0]);
    model.set('chosen', [...now]);
    model.save_changes();
    draw();
  }

  layer.addEventListener('click', event => {
    const drawn = event.target.closest('.rg-row');
    if (!drawn) return;
    if (event.target.closest('a')) return;
    if (event.target.closest('.rg-tick')) tick(Number(drawn.dataset.place));
    else look(Number(drawn.dataset.place));
  });
  scroller.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(ground() / HEIGHT) - 1);
    const current = model.get('current');
    const steps = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + page, PageUp: current - page,
      Home: 0, End: count() - 1 };
    if (event.key in steps) look(steps[event.key]);
    else if (event.key === ' ') tick(Math.max(current, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  let waiting = 0;
  filter.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => model.send({ ask: 'filter', text: filter.value }), 150);
  });
  scroller.addEventListener('scroll', () => requestAnimationFrame(draw), { passive: true });
  const watch = new ResizeObserver(() => requestAnimationFrame(draw));
  watch.observe(scroller);
  // A page that changes its theme is out of sight for a moment, and as large as before afterwards.
  const sight = new IntersectionObserver(() => requestAnimationFrame(draw));
  sight.observe(scroller);

  const news = content => {
    if (content.kind === 'filter' && document.activeElement !== filter) filter.value = content.text;
    if (content.kind !== 'rows' || content.stamp !== model.get('stamp')) return;
    if (held.size > KEPT) { held = new Map(); asked = new Set(); }
    content.rows.forEach((row, at) => held.set(content.start + at, row));
    draw();
  };
  const file = (content, buffers) => {
    if (content.kind !== 'file') return;
    const link = node('a');
    link.href = URL.createObjectURL(new Blob(buffers));
    link.download = content.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const renew = () => { fresh(); lay(); scroller.scrollTop = 0; draw(); };
  const follow = () => {
    const place = model.get('current');
    if (place >= 0) reveal(place);
    draw();
  };
  model.on('msg:custom', news);
  model.on('msg:custom', file);
  model.on('change:stamp', renew);
  model.on('change:current', follow);
  model.on('change:chosen change:nothing', draw);
  renew();
  if (model.get('filters')) model.send({ ask: 'filter' });
  return () => {
    watch.disconnect();
    sight.disconnect();
    clearTimeout(timer);
    clearTimeout(waiting);
    model.off('msg:custom', news);
    model.off('msg:custom', file);
    model.off('change:stamp', renew);
    model.off('change:current', follow);
    model.off('change:chosen change:nothing', draw);
  };
}

export default { render };
