// Prepares one machine for what is about to happen to it.

const PATH = "/metadata/scheduledevents?api-version=2020-07-01";
const pause = (ms, signal) =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
  });

async function ask(metadata, signal, more = {}) {
  const answer = await fetch(metadata + PATH, { headers: { Metadata: "true" }, signal, ...more });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  return answer.text();
}

const approve = (metadata, signal, event) =>
  ask(metadata, signal, { method: "POST", body: JSON.stringify({ StartRequests: [{ EventId: event.EventId }] }) });

/** Polls until the signal is given. An event about this machine is approved once it has been drained. */
export async function handle({ metadata, machine, drain, signal, pauseMs = 1000 }) {
  const drained = new Set();
  while (!signal.aborted) {
    try {
      const { Events } = JSON.parse(await ask(metadata, signal));
      for (const event of Events) {
        const mine = event.Resources.includes(machine) && event.EventStatus === "Scheduled";
        if (!mine || drained.has(event.EventId)) continue;
        await drain(event);
        await approve(metadata, signal, event);
        drained.add(event.EventId);
      }
    } catch (error) {
      if (!signal.aborted) console.error(`asked again in a moment: ${error.message}`);
    }
    await pause(pauseMs, signal);
  }
}
