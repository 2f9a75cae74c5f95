// "Copy as": what, masked or not, to the clipboard or into a file. The text comes when it is asked for.
function render({ model, el }) {
  const box = document.createElement('div');
  box.className = 'cm';
  const choice = (label, options) => {
    const made = document.createElement('select');
    made.setAttribute('aria-label', label);
    for (const [value, words] of options) made.add(new Option(words, value));
    return made;
  };
  const button = (words, ask) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = words;
    made.className = 'jupyter-button';
    made.addEventListener('click', () => {
      told.textContent = '';
      model.send({ ask, form: form.value, masked: cover.value !== 'clear' });
    });
    return made;
  };
  const form = choice('Copy as', model.get('forms'));
  const cover = choice('Card data', [['masked', 'replaced with test cards'], ['clear', 'card data in clear']]);
  const told = document.createElement('span');
  told.setAttribute('role', 'status');
  box.append(form, cover, button('Copy as', 'copy'), button('Download', 'file'), told);
  el.append(box);

  async function copy(text) {
    await toClipboard(text);
    told.textContent = cover.value === 'clear' ? 'Copied with card data in clear.' : 'Copied; card numbers replaced with test cards.';
  }

  function save(name, text) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    told.textContent = `${name} saved.`;
  }

  const news = content => {
    if (content.kind === 'copy') copy(content.text);
    if (content.kind === 'file') save(content.name, content.text);
  };
  model.on('msg:custom', news);
  return () => model.off('msg:custom', news);
}

export default { render };
