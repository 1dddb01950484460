// The time bar acts without leaving the page. What it did comes back by the stream, as what anybody else does.
export function startClock(root) {
  for (const form of root.querySelectorAll(".clock form")) form.addEventListener("submit", send);
  markRate();
}

export function markRate() {
  for (const button of document.querySelectorAll(".clock [name=rate]")) {
    const rate = button.closest(".clock").querySelector("[data-rate]").dataset.rate;
    button.setAttribute("aria-pressed", String(Number(button.value) === Number(rate)));
  }
}

// Who presses twice means twice: what is asked for while the clock moves waits for its turn.
let turn = Promise.resolve();

function send(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const body = new URLSearchParams(new FormData(form, event.submitter));
  turn = turn.then(() => post(form, body));
}

async function post(form, body) {
  const bar = form.closest(".clock");
  bar.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
    if (answer.status === 401) location.reload();
    bar.querySelector("[role=status]").textContent = answer.type === "opaqueredirect" ? "" : await refusal(answer);
  } catch {
    // The connection is lost, and the page says so.
  } finally {
    bar.removeAttribute("aria-busy");
  }
}

async function refusal(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector("main [role=alert]")?.textContent ?? "";
}
