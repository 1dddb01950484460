// Run by: forewarn with --fleet ../fleet.toml -- node --test

import assert from "node:assert/strict";
import { test } from "node:test";
import { handle } from "./handler.mjs";

/** Asks Forewarn's control plane, which `forewarn with` has named in the environment. */
async function api(method, path, body) {
  const answer = await fetch(`${process.env.FOREWARN_SERVER}/forewarn/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${process.env.FOREWARN_TOKEN}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const told = await answer.json();
  assert.ok(answer.ok, `${method} ${path}: ${told.error?.message}`);
  return told;
}

const look = (event) => api("GET", `/events/${event.id}`);
const schedule = async (machine) => (await api("POST", "/events", { type: "Reboot", machines: [machine] })).events[0];

async function until(what, holds) {
  for (const end = Date.now() + 10_000; !(await holds()); await new Promise((again) => setTimeout(again, 10)))
    assert.ok(Date.now() < end, `it never happened: ${what}`);
}

test("it drains and approves its own events only", async () => {
  const { metadata_url: metadata } = await api("GET", "/machines/db-0");
  const drained = [];
  const stop = new AbortController();
  const drain = async (event) => drained.push(event.EventId);
  const running = handle({ metadata, machine: "db-0", drain, signal: stop.signal, pauseMs: 20 });
  try {
    const others = await schedule("db-1");
    const own = await schedule("db-0");
    await until("its own event is approved", async () => (await look(own)).approvals.length > 0);
    await api("POST", "/clock/advance", { by: "15m" }); // a quarter of an hour, at once

    assert.equal((await look(own)).phase, "Completed");
    assert.deepEqual((await look(others)).approvals, []);
    assert.notEqual((await look(others)).phase, "Scheduled"); // it has started by itself
    assert.deepEqual(drained, [own.id]);
  } finally {
    stop.abort();
    await running;
  }
});
