// JupyterLab takes arrow keys and Enter for the notebook from whatever has the focus, unless that says no.
// Plain inputs and buttons of a panel do not; this says it for them.

function render({ el }) {
  el.style.display = "none";
  const keep = (event) => {
    if (event.target.closest?.(".iso-panel")) event.target.dataset.lmSuppressShortcuts = "true";
  };
  document.addEventListener("focusin", keep, true);
  return () => document.removeEventListener("focusin", keep, true);
}

export default { render };
