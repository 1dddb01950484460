// Times in the viewer's own zone, with UTC on hover; and countdowns by the fleet's clock, which may not be the viewer's.
let source = null; // the element that told the fleet's time last
let heard = 0; // when that was, by the viewer's clock
let origin = 0; // what it told
let rate = 1;

export function fleetNow() {
  return origin + (Date.now() - heard) * rate;
}

export function startTimes(root) {
  readClock();
  for (const time of root.querySelectorAll("time[datetime]:not(.running)")) {
    if (!time.title) time.title = utc(time.dateTime);
    if (!time.classList.contains("countdown")) time.textContent = new Date(time.dateTime).toLocaleString();
  }
  tick();
}

// The time bar is fetched anew when somebody has set the clock; without one the clock is real, and the page's own is enough.
function readClock() {
  const teller = document.getElementById("fleet-clock") ?? document.body;
  if (teller === source) return;
  source = teller;
  heard = Date.now();
  origin = Date.parse(teller.dataset.now);
  rate = Number(teller.dataset.rate);
}

function utc(moment) {
  return moment.replace("T", " ").replace("Z", " UTC");
}

function tick() {
  for (const time of document.querySelectorAll("time.countdown")) {
    const left = Math.max(0, Math.round((Date.parse(time.dateTime) - fleetNow()) / 1000));
    time.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }
  for (const time of document.querySelectorAll("time.running")) {
    const now = new Date(fleetNow());
    time.dateTime = now.toISOString().slice(0, 19) + "Z";
    time.title = utc(time.dateTime);
    time.textContent = now.toLocaleString();
  }
}

setInterval(tick, 250);
