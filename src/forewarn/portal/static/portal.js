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
