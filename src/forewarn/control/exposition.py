"""Prometheus' text format, the few lines of it that are needed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Family:
    """One metric. `samples` are (labels, value); keep the labels to closed sets, never names or ids."""

    name: str
    kind: str  # "counter" or "gauge"
    tells: str
    samples: Iterable[tuple[Mapping[str, str], float]]


def single(name: str, kind: str, tells: str, value: float) -> Family:
    return Family(name, kind, tells, [({}, value)])


def render(families: Iterable[Family]) -> str:
    return "".join(line + "\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterable[str]:
    yield f"# HELP {family.name} {_escaped(family.tells)}"
    yield f"# TYPE {family.name} {family.kind}"
    for labels, value in family.samples:
        pairs = ",".join(f'{key}="{_quoted(text)}"' for key, text in labels.items())
        yield f"{family.name}{{{pairs}}} {_number(value)}" if pairs else f"{family.name} {_number(value)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')
