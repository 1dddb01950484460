// Times in the viewer's own zone, with UTC on hover; and countdowns by the fleet's clock, which may not be the viewer's.
const started = performance.now();
let origin = Date.parse(document.body.dataset.now);

export function fleetNow() {
  return origin + (performance.now() - started) * Number(document.body.dataset.rate);
}

export function startTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    if (!time.title) time.title = time.dateTime.replace("T", " ").replace("Z", " UTC");
    if (!time.classList.contains("countdown")) time.textContent = new Date(time.dateTime).toLocaleString();
  }
  tick();
}

function tick() {
  for (const time of document.querySelectorAll("time.countdown")) {
    const left = Math.max(0, Math.round((Date.parse(time.dateTime) - fleetNow()) / 1000));
    time.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }
}

setInterval(tick, 250);
