"""The agent in numbers, in Prometheus' text format."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import process_time
from typing import TYPE_CHECKING

from forewarn import __version__
from forewarn.agent.records import Progress, Record, Stage

if TYPE_CHECKING:
    from forewarn.agent.counting import Tally
    from forewarn.agent.loop import Agent
    from forewarn.agent.watching import Watcher

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "forewarn_agent_"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    name: str
    kind: str
    tells: str
    samples: list[Sample]


def metrics(agent: "Agent", watcher: "Watcher", tally: "Tally") -> list[Metric]:
    records = agent.journal.records()
    settings = agent.config.settings
    silence = tally.silence
    return [
        _gauge("info", "The agent itself; always 1.", Sample(value=1, labels={"version": __version__})),
        _gauge("dry_run", "1 if it only says what it would do.", Sample(value=settings.dry_run)),
        _gauge("events", "Events under way, by stage.", *_by_stage(records)),
        _gauge("event_seconds_left", "Until the event may start; below 0 after that.", *_left(agent, records)),
        _counter("steps_total", "Runs of steps that ended.", *_labelled(tally.steps, "step", "direction", "outcome")),
        _counter("step_seconds_total", "What they took.", *_labelled(tally.seconds, "step", "direction")),
        _gauge("unrestored_steps", "Steps that could not be undone: a person must look.", _unrestored(agent)),
        _counter("approvals_total", "Approvals sent, by whether they were taken.", *_approvals(tally)),
        _counter("requests_total", "To the metadata service.", *_labelled(tally.requests, "what", "status")),
        _gauge("trouble", "1 while the metadata service cannot be heard.", Sample(value=bool(watcher.trouble))),
        _gauge(
            "contact_age_seconds",
            "Since the metadata service was last heard; absent if it never was.",
            *([] if silence is None else [Sample(value=silence)]),
        ),
        _gauge("notices_waiting", "Notices that nobody has taken yet.", Sample(value=len(agent.journal.notices()))),
        *_process(),
    ]


def render(found: Iterable[Metric]) -> str:
    lines = []
    for metric in found:
        lines += [f"# HELP {metric.name} {metric.tells}", f"# TYPE {metric.name} {metric.kind}"]
        lines += [f"{metric.name}{_labels(sample.labels)} {_number(sample.value)}" for sample in metric.samples]
    return "\n".join(lines) + "\n"


def _gauge(name: str, tells: str, *samples: Sample) -> Metric:
    return Metric(name=PREFIX + name, kind="gauge", tells=tells, samples=list(samples))


def _counter(name: str, tells: str, *samples: Sample) -> Metric:
    return Metric(name=PREFIX + name, kind="counter", tells=tells, samples=list(samples))


def _by_stage(records: list[Record]) -> list[Sample]:
    live = [stage for stage in Stage if stage is not Stage.OVER]
    return [Sample(value=sum(r.stage is stage for r in records), labels={"stage": stage.value}) for stage in live]


def _left(agent: "Agent", records: list[Record]) -> list[Sample]:
    now = agent.now()
    return [
        Sample(value=(r.event.not_before - now).total_seconds(), labels={"event": r.event.id, "type": r.event.kind})
        for r in records
        if r.event.not_before is not None and not r.started
    ]


def _unrestored(agent: "Agent") -> Sample:
    recent = [*agent.journal.records(), *agent.journal.past()]
    return Sample(value=sum(step.progress is Progress.UNRESTORED for r in recent for step in r.steps))


def _approvals(tally: "Tally") -> list[Sample]:
    sent = {status: count for (kind, status), count in tally.requests.items() if kind == "approval"}
    taken = sum(count for status, count in sent.items() if status.startswith("2"))
    refused = sum(sent.values()) - taken
    return [Sample(value=taken, labels={"outcome": "taken"}), Sample(value=refused, labels={"outcome": "not taken"})]


def _labelled(counts: Mapping[tuple[str, ...], float], *names: str) -> list[Sample]:
    return [Sample(value=count, labels=dict(zip(names, key, strict=True))) for key, count in sorted(counts.items())]


def _process() -> list[Metric]:
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        resident = next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:")), 0)
    return [
        Metric(
            name="process_resident_memory_bytes",
            kind="gauge",
            tells="Memory in use.",
            samples=[Sample(value=resident)],
        ),
        Metric(
            name="process_cpu_seconds_total",
            kind="counter",
            tells="Processor time used.",
            samples=[Sample(value=process_time())],
        ),
    ]


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}" if labels else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3f}"
