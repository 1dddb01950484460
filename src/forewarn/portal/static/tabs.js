// Links to parts of the page become tabs: one part is shown at a time. Without this they are links, and all is shown.
export function startTabs(root) {
  for (const list of root.querySelectorAll("[data-tabs]")) makeTabs(list, document.getElementById(list.dataset.tabs));
}

function makeTabs(list, panels) {
  const tabs = [...list.querySelectorAll("a[href^='#']")];
  let chosen = tabs.find((tab) => tab.hash === location.hash) ?? tabs[0];
  list.setAttribute("role", "tablist");

  function show() {
    for (const tab of tabs) {
      const selected = tab === chosen;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(selected));
      tab.setAttribute("aria-controls", tab.hash.slice(1));
      tab.tabIndex = selected ? 0 : -1;
      const panel = panels.querySelector(`#${CSS.escape(tab.hash.slice(1))}`);
      if (!panel) continue;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      panel.hidden = !selected;
    }
  }

  function choose(tab, focus) {
    chosen = tab;
    history.replaceState(null, "", tab.hash);
    show();
    if (focus) tab.focus();
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest("a");
    if (!tabs.includes(tab)) return;
    event.preventDefault();
    choose(tab, true);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(chosen);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(tabs.at(to % tabs.length), true);
  });
  new MutationObserver(show).observe(panels, { childList: true }); // what they show was fetched anew
  show();
}
