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
    if (answer.ok) part.innerHTML = await answer.text();
    else if (answer.status === 401) location.reload();
  } catch {
    // The connection is lost: the stream comes back, and with it everything that was missed.
  }
}
