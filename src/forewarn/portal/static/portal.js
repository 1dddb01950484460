// Keeps the open page true: what is marked `data-live` is fetched anew when something has changed.
import { startLive } from "./live.js";
import { startTimes } from "./times.js";

startTimes(document);
startLive(document, () => startTimes(document));
