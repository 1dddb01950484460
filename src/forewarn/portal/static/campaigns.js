// Whoever ticks off a set wants it there only, and need not say so twice.
const some = document.querySelector('.where [value="some"]');

document.querySelector(".where .sets")?.addEventListener("input", () => {
  if (some) some.checked = true;
});
