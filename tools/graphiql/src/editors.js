// What GraphiQL's editors lack for those who cannot see them, or have only a keyboard.

export function mendEditors(container) {
  container.addEventListener("keydown", letTabLeave, { capture: true });
  const observer = new MutationObserver(() => nameThem(container));
  observer.observe(container, { childList: true, subtree: true });
  return () => observer.disconnect();
}

// Tab would otherwise indent, and nobody could get out again.
function letTabLeave(event) {
  const chooses = document.querySelector(".CodeMirror-hints");
  if (event.key === "Tab" && !chooses && event.target.closest?.(".CodeMirror")) event.stopPropagation();
}

function nameThem(container) {
  for (const editor of container.querySelectorAll(".CodeMirror:not([data-named])")) {
    editor.dataset.named = "";
    const name = editor.closest("[aria-label]")?.ariaLabel;
    editor.CodeMirror.setOption("screenReaderLabel", name);
  }
}
