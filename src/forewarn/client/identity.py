"""Is an event about this machine?

Events name machines by their resource names, which are not host names. Whoever takes the one for the other prepares,
or approves, for somebody else; so what is not known for sure is UNSURE, with the reason, and nothing should be done.

An instance of a uniform scale set is `SET_18` as a resource and `PREFIX00000i` as a host: its number in six digits of
base 36 behind a prefix, which is the set's name unless its owner chose another.
"""

from dataclasses import dataclass
from enum import Enum

from forewarn.client.documents import Event

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WIDTH = 6
MOST_INSTANCES = len(_DIGITS) ** _WIDTH


class Verdict(Enum):
    YES = "yes"  # this machine is among those of the event
    NO = "no"  # it is not
    UNSURE = "unsure"  # what is known of the machine does not tell: do nothing, and say so


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """What is known of this machine; empty where nothing is."""

    name: str = ""
    """Given by whoever runs the program: then nothing else counts."""
    resource: str = ""
    """By the instance metadata: what events call it."""
    computer_name: str = ""
    """By the instance metadata, too."""
    host: str = ""
    """What the operating system calls it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    verdict: Verdict
    reason: str


def is_about(event: Event, me: Identity) -> Verdict:
    return judge(event, me).verdict


def judge(event: Event, me: Identity) -> Judgement:
    if not event.resources:
        return Judgement(verdict=Verdict.UNSURE, reason="the event names no machine")
    for known, source in ((me.name, "by configuration"), (me.resource, "by its instance metadata")):
        if known:
            return _by_name(event.resources, known, source)
    hosts = [name for name in (me.computer_name, me.host) if name]
    if not hosts:
        return Judgement(verdict=Verdict.UNSURE, reason="nothing is known of this machine, not even its host name")
    return _by_host(event.resources, hosts)


def _by_name(resources: tuple[str, ...], name: str, source: str) -> Judgement:
    if any(_same(name, resource) for resource in resources):
        return Judgement(verdict=Verdict.YES, reason=f"the event names {name}, which this machine is {source}")
    return Judgement(
        verdict=Verdict.NO, reason=f"the event names {', '.join(resources)}; this machine is {name} {source}"
    )


def _by_host(resources: tuple[str, ...], hosts: list[str]) -> Judgement:
    likely = ""
    for host in hosts:
        short = host.partition(".")[0]
        for resource in resources:
            if _same(host, resource) or _same(short, resource):
                return Judgement(verdict=Verdict.YES, reason=f"the event names {resource}, and so is this host called")
            prefix = _prefix(short, resource)
            if prefix is not None and _same(prefix, resource.rpartition("_")[0]):
                return Judgement(verdict=Verdict.YES, reason=f"the host {short} is {resource}, counted in base 36")
            if prefix is not None:
                likely = f"; {resource} has the number of the host {short}, but perhaps in another scale set"
    return Judgement(
        verdict=Verdict.UNSURE,
        reason=f"the event names {', '.join(resources)}, and only a host name is known of this machine:"
        f" {hosts[0]}{likely}",
    )


def _prefix(host: str, resource: str) -> str | None:
    """What stands before the number in the host's name, if it is the number of the resource."""
    _, found, number = resource.rpartition("_")
    counted = split_computer_name(host)
    if not found or counted is None or not (number.isascii() and number.isdecimal()):
        return None
    return counted[0] if counted[1] == int(number) else None


def computer_name(prefix: str, instance: int) -> str:
    """`web`, 18 → `web00000i`."""
    if not 0 <= instance < MOST_INSTANCES:
        raise ValueError(f"{instance} cannot be told in {_WIDTH} digits of base 36")
    digits = ""
    for _ in range(_WIDTH):
        instance, digit = divmod(instance, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return prefix + digits


def split_computer_name(name: str) -> tuple[str, int] | None:
    """`web00000i` → `web`, 18; None if it does not end like that."""
    prefix, digits = name[:-_WIDTH], name[-_WIDTH:].lower()
    if not prefix or not all(digit in _DIGITS for digit in digits):
        return None
    return prefix, int(digits, len(_DIGITS))


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()
