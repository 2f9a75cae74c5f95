// JupyterLab takes arrow keys and Enter for the notebook from whatever has the focus, unless that says no.
// Plain inputs and buttons of a panel do not; this says it for them.

const RUNS = ["generate", "explain", "validate", "send", "load", "host", "drill"].map((name) => `.iso-${name}-panel`).join();
const FOLDED = ".iso-panel .jupyter-widget-Collapse-header";

function render({ el }) {
  el.style.display = "none";
  const keep = (event) => {
    const panel = event.target.closest?.(".iso-panel");
    if (!panel) return;
    event.target.dataset.lmSuppressShortcuts = "true";
    panel.querySelectorAll(FOLDED).forEach(tell);
  };
  // What is folded away is opened by a click alone, as ipywidgets has it: here by the keys of a button, too.
  const tell = (head) => {
    head.tabIndex = 0;
    head.role = "button";
    head.ariaExpanded = String(Boolean(head.closest(".jupyter-widget-Collapse-open")));
  };
  const unfold = (event) => {
    const head = event.target.matches?.(FOLDED) && event.target;
    if (!head || event.defaultPrevented || event.ctrlKey || event.metaKey || !["Enter", " "].includes(event.key)) return;
    event.preventDefault(); // one of several panels has taken it
    head.click();
  };
  const folded = (event) => {
    const head = event.target.closest?.(FOLDED);
    if (head) tell(head);
  };
  // Ctrl+Enter does what the panel's button does; where there is nothing but a form to fill in, Enter alone, too.
  const run = (event) => {
    if (event.key !== "Enter" || event.defaultPrevented || event.isComposing) return;
    const line = event.target.matches?.(":is(.iso-generate-panel, .iso-drill-panel) .iso-form input:not([type=checkbox])");
    if (!event.ctrlKey && !event.metaKey && !line) return;
    const panel = event.target.closest?.(RUNS);
    const button = panel?.querySelector(".iso-run");
    if (!button || event.target.closest(".iso-saved")) return;
    event.preventDefault(); // one of several panels has taken it
    event.stopPropagation();
    if (event.repeat) return; // a key held down is pressed once
    event.target.dispatchEvent(new Event("change", { bubbles: true })); // what waits for it is told first
    setTimeout(() => button.click());
  };
  // A box with a list offers what has its text in it: with all of it selected the next key begins anew.
  const anew = ({ target }) => {
    if (target.list && target.selectionStart === target.selectionEnd && target.closest(".iso-panel")) target.select();
  };
  // A button that starts and stops: the second click of a double click is no Stop.
  const once = (event) => {
    if (event.detail > 1 && event.target.closest?.(".iso-toggle")) event.stopPropagation();
  };
  document.addEventListener("focusin", keep, true);
  document.addEventListener("click", once, true);
  document.addEventListener("click", anew, true);
  document.addEventListener("keydown", run, true);
  document.addEventListener("keydown", unfold);
  document.addEventListener("click", folded);
  return () => {
    document.removeEventListener("focusin", keep, true);
    document.removeEventListener("click", anew, true);
    document.removeEventListener("click", once, true);
    document.removeEventListener("keydown", run, true);
    document.removeEventListener("keydown", unfold);
    document.removeEventListener("click", folded);
  };
}

export default { render };
