// A place to drop a file on: it goes to Python in pieces, each when the one before has arrived.
const PIECE = 1_000_000;

function render({ model, el }) {
  const box = document.createElement('label');
  box.className = 'rg-drop';
  const words = document.createElement('span');
  const input = document.createElement('input');
  input.type = 'file';
  box.append(words, input);
  el.append(box);
  let file = null;

  function say(text) { words.textContent = text; }

  async function send(at) {
    const piece = await file.slice(at, at + PIECE).arrayBuffer();
    say(`${file.name}: ${Math.round((100 * at) / Math.max(1, file.size))} %`);
    model.send({ ask: 'piece', name: file.name, at, size: file.size }, undefined, [piece]);
    if (at + piece.byteLength >= file.size) say(`${file.name}: reading …`);
  }

  function take(files) {
    if (!files.length) return;
    [file] = files;
    send(0);
  }

  const more = content => { if (content.kind === 'more' && file) send(content.at); };
  const told = () => say(model.get('busy') || model.get('words'));
  input.addEventListener('change', () => { take(input.files); });
  box.addEventListener('dragover', event => { event.preventDefault(); box.classList.add('over'); });
  box.addEventListener('dragleave', () => box.classList.remove('over'));
  box.addEventListener('drop', event => {
    event.preventDefault();
    event.stopPropagation();
    box.classList.remove('over');
    take(event.dataTransfer.files);
  });
  model.on('msg:custom', more);
  model.on('change:words', told);
  model.on('change:busy', told);
  told();
  return () => { model.off('msg:custom', more); model.off('change:words', told); model.off('change:busy', told); };
}

export default { render };
