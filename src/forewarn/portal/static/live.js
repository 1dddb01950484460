// Changes arrive as server-sent events; each asks for the marked parts of the page anew, at most every QUIET ms.
const QUIET = 150;

// Called before anything on the page is changed: what was sent is what later answers are compared with.
export function startLive(root, afterwards) {
  const parts = [...root.querySelectorAll("[data-live^='/']")];
  if (parts.length === 0) return;
  for (const part of parts) shown.set(part, part.innerHTML.trim());
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
  part.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(part.dataset.live + location.search, { headers: { "X-Requested-With": "portal" } });
    if (answer.ok) await show(part, await answer.text());
    else if (answer.status === 401) location.reload();
  } catch {
    // The connection is lost: the stream comes back, and with it everything that was missed.
  } finally {
    part.removeAttribute("aria-busy");
  }
}

const shown = new WeakMap(); // by part, what it was last drawn from

// What has not changed stays; and what somebody has opened, filled in or stands on is so again when it is drawn anew.
async function show(part, html) {
  const drawing = document.createElement("template");
  drawing.innerHTML = html;
  const wanted = drawing.innerHTML.trim();
  if (shown.get(part) === wanted) return;
  await released(part);
  shown.set(part, wanted);
  const held = part.contains(document.activeElement) ? selectorOf(document.activeElement) : null;
  const open = [...part.querySelectorAll("details[id][open]")].map(selectorOf);
  const filled = [...part.querySelectorAll("input, select, textarea")].filter(isFilled).map(keep);
  part.replaceChildren(drawing.content);
  for (const one of open) part.querySelector(one)?.setAttribute("open", "");
  for (const one of filled) one(part);
  if (held) part.querySelector(held)?.focus({ preventScroll: true });
}

// A press that has begun on something must still find it when it ends.
async function released(part) {
  if (!part.matches(":active")) return;
  await new Promise((done) => {
    for (const kind of ["pointerup", "pointercancel", "keyup"]) {
      addEventListener(kind, () => setTimeout(done), { once: true, capture: true });
    }
  });
}

function isFilled(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.localName === "select") return [...field.options].some((one) => one.selected !== one.defaultSelected);
  return field.type !== "hidden" && field.value !== field.defaultValue;
}

function keep(field) {
  const { value, checked } = field;
  const selector = selectorOf(field);
  return (part) => {
    const again = selector && part.querySelector(selector);
    if (again && !again.disabled) Object.assign(again, { value, checked });
  };
}

// By what it is, never by where it is: the row in its place may be another machine's.
function selectorOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  if (element.matches("a[href]")) return element.localName + attribute(element, "href");
  const form = element.closest("form[action]");
  if (!form && !element.name) return null;
  const one = element.localName + attribute(element, "name");
  const own = element.matches("button, [type=checkbox], [type=radio]") ? one + attribute(element, "value") : one;
  return form ? `form${attribute(form, "action")} ${own}` : own;
}

function attribute(element, name) {
  return element.hasAttribute(name) ? `[${name}="${CSS.escape(element.getAttribute(name))}"]` : "";
}
