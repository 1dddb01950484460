// What was ticked in a part of the page stays ticked when that part is fetched anew.
export function startChoosing(root) {
  for (const part of root.querySelectorAll("[data-live]")) {
    const ticked = new Set();
    part.addEventListener("change", ({ target }) => {
      if (target.type !== "checkbox") return;
      if (target.checked) ticked.add(key(target));
      else ticked.delete(key(target));
    });
    for (const box of boxes(part)) if (box.checked) ticked.add(key(box)); // the browser remembers them on the way back
    new MutationObserver(() => {
      for (const box of boxes(part)) box.checked = ticked.has(key(box));
    }).observe(part, { childList: true });
  }
}

const boxes = (part) => part.querySelectorAll("input[type=checkbox]");
const key = (box) => `${box.name}\n${box.value}`;
