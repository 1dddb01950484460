// Keeps the open page true: what is marked `data-live` is fetched anew when something has changed.
import { startChoosing } from "./choosing.js";
import { markRate, startClock } from "./clock.js";
import { startLive } from "./live.js";
import { startTabs } from "./tabs.js";
import { startTimes } from "./times.js";

startTimes(document);
startClock(document);
startLive(document, () => {
  startTimes(document);
  markRate();
});
startTabs(document);
startChoosing(document);
