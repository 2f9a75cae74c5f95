/* A line to search in above every table of a `.wide.searchable`: rows stay that hold all of the words. */
function searchable(place) {
  const rows = [...place.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const line = document.createElement("div");
  const label = document.createElement("label");
  const input = document.createElement("input");
  const count = document.createElement("output");
  line.className = "filter";
  label.append("Search this table ", input);
  input.type = "search";
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, at) => {
      row.hidden = !words.every((word) => texts[at].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    count.value = shown === rows.length ? `${rows.length} rows` : `${shown} of ${rows.length} rows`;
  };
  input.addEventListener("input", show);
  line.append(label, count);
  place.before(line);
  show();
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".wide.searchable").forEach(searchable);
});
