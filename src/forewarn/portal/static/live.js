// Changes arrive as server-sent events; each asks for the marked parts of the page anew, at most every QUIET ms.
const QUIET = 150;

export function startLive(root, afterwards) {
  const parts = [...root.querySelectorAll("[data-live]")];
  if (parts.length === 0) return;
  const source = new EventSource("/portal/stream");
  let running = false;
  let wanted = false;

  async function refresh() {
    if (running) {
      wanted = true;
      return;
    }
    running = true;
    await Promise.all(parts.map((part) => fetchInto(part)));
    afterwards();
    setTimeout(() => {
      running = false;
      if (wanted) {
        wanted = false;
        refresh();
      }
    }, QUIET);
  }

  source.onmessage = refresh;
  source.onopen = () => {
    document.body.dataset.connection = "open";
    refresh();
  };
  source.onerror = () => {
    document.body.dataset.connection = "lost";
  };
}

async function fetchInto(part) {
  try {
    const answer = await fetch(part.dataset.live + location.search, { headers: { "X-Requested-With": "portal" } });
    if (answer.ok) show(part, await answer.text());
    else if (answer.status === 401) location.reload();
  } catch {
    // The connection is lost: the stream comes back, and with it everything that was missed.
  }
}

const shown = new WeakMap(); // by part, what was fetched last

// What has not changed stays; and whoever stands on something by keyboard still does when it is drawn anew.
function show(part, html) {
  if (shown.get(part) === html) return;
  shown.set(part, html);
  const held = part.contains(document.activeElement) ? selectorOf(document.activeElement) : null;
  const open = [...part.querySelectorAll("details[id][open]")].map((one) => one.id);
  part.innerHTML = html;
  for (const id of open) part.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
  if (held) part.querySelector(held)?.focus({ preventScroll: true });
}

// By what it does, never by where it is: the row in its place may be another machine's.
function selectorOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  if (element.matches("a[href]")) return `a[href="${CSS.escape(element.getAttribute("href"))}"]`;
  const form = element.closest("form[action]");
  if (!form) return null;
  const named = ["name", "value"].filter((name) => element.hasAttribute(name));
  const own = named.map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`).join("");
  return `form[action="${CSS.escape(form.getAttribute("action"))}"] ${element.localName}${own}`;
}
