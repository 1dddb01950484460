// Keeps the open page true: what is marked `data-live` is fetched anew when something has changed.
import { markRate, startClock } from "./clock.js";
import { startLive } from "./live.js";
import { startTabs } from "./tabs.js";
import { startTimes } from "./times.js";

startLive(document, () => {
  startTimes(document);
  markRate();
});
startTimes(document);
startClock(document);
startTabs(document);

// A form that was sent is busy until its answer is there; and no longer if somebody comes back to the page.
addEventListener("submit", ({ target, defaultPrevented }) => defaultPrevented || target.setAttribute("aria-busy", "true"));
addEventListener("pageshow", () => document.querySelectorAll("form[aria-busy]").forEach((form) => form.removeAttribute("aria-busy")));
