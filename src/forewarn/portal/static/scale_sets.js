// What is chosen in a table stays chosen, and focused, while the table is brought up to date.
for (const form of document.querySelectorAll("[data-keep-choice]")) {
  const chosen = new Set();
  let focused = "";
  form.addEventListener("change", ({ target }) => {
    if (target.type !== "checkbox") return;
    if (target.checked) chosen.add(target.id);
    else chosen.delete(target.id);
  });
  form.addEventListener("focusin", ({ target }) => {
    focused = target.id;
  });
  new MutationObserver(() => {
    for (const id of chosen) {
      const box = document.getElementById(id);
      if (box && !box.disabled) box.checked = true;
      else chosen.delete(id);
    }
    if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
  }).observe(form, { childList: true, subtree: true });
}
