// Of many elements those whose number, name, value, meaning or parts hold a text. What was typed stays in the page.

const MANY = 8; // elements from which on there is something to be filtered

class Filtering extends Drawing {
  filterBox() {
    if (this.data.elements.length < MANY) return null;
    const box = make("input", {
      type: "search",
      cls: "ia-filter",
      placeholder: "Filter elements",
      "aria-label": "Filter elements",
      autocomplete: "off",
      spellcheck: "false",
      data: { hold: "filter" },
    });
    box.value = this.wanted || "";
    box.addEventListener("input", () => {
      this.wanted = box.value;
      this.sift();
    });
    return box;
  }

  // Hides the rows that do not hold the text; what is pinned is unfolded beneath its row.
  sift() {
    const wanted = (this.data.elements.length < MANY ? "" : this.wanted || "").trim().toLowerCase();
    for (const element of this.data.elements) {
      const hide = wanted !== "" && !this.words(element).includes(wanted);
      for (const node of this.el.querySelectorAll(
        `.ia-row[data-n="${element.number}"], .ia-details[data-of="${element.number}"]`,
      ))
        node.hidden = hide;
    }
    this.rove();
  }

  words(element) {
    const parts = element.children.flatMap((one) => [one.label, one.name, one.value, one.meaning]);
    const own = [label(element.number), element.name, element.value, element.meaning];
    return [...own, ...parts].join("\n").toLowerCase();
  }
}
