// The timeline comes alive: time goes on, details follow pointer and keyboard, and arrow keys walk from bar to bar.
// Without this it can still be read, and every bar is a link.
import { fleetNow, startTimes } from "./times.js";

const drawing = document.querySelector(".timeline-live");
const panel = document.getElementById("event-detail");
const said = document.getElementById("event-said");
const OFF_CENTRE = 56; // percent: when now has moved so far, the window is drawn anew around it
const SLIVER = 0.6; // percent: what is under way is seen from its first moment on, as views/drawing.py draws it
const DAY = 864e5; // ms
const LINGER = 250; // ms in which the pointer may go from a bar to its details

let stop = ""; // the id of the bar at which Tab stops
let held = ""; // the id of the bar whose details are shown
let told = ""; // what was announced last
let dismissed = ""; // the id of the bar whose details were sent away, until it is left
let leaving = 0;
let asking = false;

const frame = () => drawing.querySelector(".timeline");
const barOf = (target) => (target instanceof Element ? target.closest(".event-bar") : null);
const barsIn = (track) => [...track.querySelectorAll(".event-bar")];

// ---- Whenever it is drawn anew

function arrive() {
  drawing.querySelectorAll("[data-at]").forEach(localise);
  stopAt(document.getElementById(stop) ?? drawing.querySelector(".event-bar"));
  const bar = document.getElementById(held);
  if (bar) show(bar);
  else hide();
  move();
}

// Hours are told by the viewer's clock; and days begin at the viewer's midnight.
function localise(tick) {
  const { begin, end } = edges();
  const at = new Date(tick.dataset.at);
  const days = end - begin > DAY;
  if (days) at.setHours(0, 0, 0, 0);
  for (const name of ["x", "x1", "x2"]) if (tick.hasAttribute(name)) tick.setAttribute(name, `${percent(at)}%`);
  if (tick.localName === "text") {
    tick.textContent = days
      ? at.toLocaleDateString([], { weekday: "short", day: "numeric" })
      : at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
}

function percent(moment) {
  const { begin, end } = edges();
  return Math.min(100, Math.max(0, ((moment - begin) / (end - begin)) * 100));
}

function edges() {
  return { begin: Date.parse(frame().dataset.begin), end: Date.parse(frame().dataset.end) };
}

// ---- Time goes on

function move() {
  if (!frame()) return;
  const x = percent(fleetNow());
  for (const line of drawing.querySelectorAll("line.now")) {
    line.setAttribute("x1", `${x}%`);
    line.setAttribute("x2", `${x}%`);
  }
  drawing.querySelector("text.now")?.setAttribute("x", `${x}%`);
  for (const piece of drawing.querySelectorAll("[data-open]")) {
    piece.setAttribute("width", `${Math.max(SLIVER, x - parseFloat(piece.getAttribute("x")))}%`);
  }
  if (x > OFF_CENTRE) redraw();
}

async function redraw() {
  if (asking) return;
  asking = true;
  try {
    const answer = await fetch(drawing.dataset.live + location.search);
    const focused = drawing.contains(document.activeElement) ? document.activeElement.id : "";
    if (answer.ok) drawing.innerHTML = await answer.text();
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    startTimes(drawing);
  } catch {
    // The connection is lost: when it comes back, everything is drawn anew.
  }
  setTimeout(() => (asking = false), 1000);
}

// ---- Details

function show(bar) {
  clearTimeout(leaving);
  if (bar.id === dismissed) return;
  dismissed = "";
  const detail = drawing.querySelector(`template[data-detail="${CSS.escape(bar.dataset.event)}"]`);
  if (!detail) return;
  document.getElementById(held)?.classList.remove("held");
  held = bar.id;
  bar.classList.add("held");
  panel.replaceChildren(detail.content.cloneNode(true));
  startTimes(panel);
  panel.hidden = false;
  place(bar.querySelector(".hit").getBoundingClientRect());
  announce(detail.content);
}

function place(bar) {
  const left = Math.min(Math.max(8, bar.left), innerWidth - panel.offsetWidth - 8);
  const below = bar.bottom + 8;
  const fits = below + panel.offsetHeight < innerHeight;
  panel.style.left = `${left}px`;
  panel.style.top = `${fits ? below : Math.max(8, bar.top - panel.offsetHeight - 8)}px`;
}

// Once for each bar and whenever it has changed, but not the seconds of a countdown.
function announce(content) {
  const copy = content.cloneNode(true);
  for (const time of copy.querySelectorAll(".countdown")) time.remove();
  for (const time of copy.querySelectorAll("time")) time.textContent = new Date(time.dateTime).toLocaleString();
  const words = [...copy.querySelectorAll(".badge, dt, dd")].map((one) => one.textContent.replace(/\s+/g, " ").trim());
  const text = words.join(", ");
  if (text !== told) said.textContent = told = text;
}

function hide() {
  document.getElementById(held)?.classList.remove("held");
  held = told = "";
  panel.hidden = true;
}

// To be drawn anew is not to be left: then there is nothing that it was left for.
function leave(event) {
  if (event.relatedTarget) dismissed = "";
}

function hideSoon() {
  clearTimeout(leaving);
  leaving = setTimeout(() => {
    const focused = barOf(document.activeElement);
    if (focused?.matches(":focus-visible")) show(focused);
    else hide();
  }, LINGER);
}

// ---- Pointer and keyboard

function stopAt(bar) {
  for (const other of drawing.querySelectorAll(".event-bar")) other.setAttribute("tabindex", other === bar ? "0" : "-1");
  if (bar) stop = bar.id;
}

function neighbour(bar, key) {
  const track = bar.closest(".track");
  const here = barsIn(track);
  const at = here.indexOf(bar);
  const tracks = [...drawing.querySelectorAll(".lanes .track")];
  const next = {
    ArrowRight: () => here[at + 1],
    ArrowLeft: () => here[at - 1],
    Home: () => here[0],
    End: () => here.at(-1),
    ArrowDown: () => nearest(tracks[tracks.indexOf(track) + 1], bar),
    ArrowUp: () => nearest(tracks[tracks.indexOf(track) - 1], bar),
  };
  return next[key]?.();
}

function nearest(track, bar) {
  const left = (one) => one.querySelector(".hit").getBoundingClientRect().left;
  return track && barsIn(track).sort((a, b) => Math.abs(left(a) - left(bar)) - Math.abs(left(b) - left(bar)))[0];
}

drawing.addEventListener("keydown", (event) => {
  const bar = barOf(event.target);
  const next = bar && neighbour(bar, event.key);
  if (!next) return;
  event.preventDefault();
  stopAt(next);
  next.focus();
});
drawing.addEventListener("focusin", (event) => {
  const bar = barOf(event.target);
  if (!bar) return;
  stopAt(bar);
  show(bar);
});
drawing.addEventListener("focusout", (event) => {
  leave(event);
  hideSoon();
});
drawing.addEventListener("pointerover", (event) => {
  const bar = barOf(event.target);
  if (bar && event.pointerType !== "touch") show(bar);
});
drawing.addEventListener("pointerout", (event) => {
  leave(event);
  if (barOf(event.target)) hideSoon();
});
panel.addEventListener("pointerenter", () => clearTimeout(leaving));
panel.addEventListener("pointerleave", hideSoon);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  dismissed = held;
  clearTimeout(leaving);
  hide();
});
addEventListener("scroll", () => {
  const bar = document.getElementById(held);
  if (bar) place(bar.querySelector(".hit").getBoundingClientRect());
}, { passive: true });

new MutationObserver(arrive).observe(drawing, { childList: true });
arrive();
setInterval(move, 250);
