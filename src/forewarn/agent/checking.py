"""What would run for which event: the configuration, thought through before anything happens. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from forewarn.agent.config import Approval, Config, Rule, StepSpec
from forewarn.agent.durations import write_duration
from forewarn.agent.timing import Slot, plan
from forewarn.client.documents import EventType

MINUTE = timedelta(minutes=1)
NOTICES = {
    EventType.FREEZE: 15 * MINUTE,
    EventType.REBOOT: 15 * MINUTE,
    EventType.REDEPLOY: 10 * MINUTE,
    EventType.PREEMPT: timedelta(seconds=30),
    EventType.TERMINATE: 5 * MINUTE,
}
"""What Azure usually gives."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One rule that may be chosen for a type of event."""

    rule: Rule | None
    """None: no rule fits."""
    conditions: tuple[str, ...]
    """What must be so besides, in words; none if it fits in any case."""
    chain: tuple[StepSpec, ...] = ()
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Prospect:
    """What happens about events of one type."""

    type: EventType
    short: bool
    notice: timedelta | None
    """None: hardly any, or none at all where it has started when it is seen."""
    cases: tuple[Case, ...]


def prospects(config: Config) -> list[Prospect]:
    """With the usual notice and without any, where the usual one is not the short path already."""
    found = []
    for type, notice in NOTICES.items():
        urgent = notice < config.settings.short_path
        found.append(_prospect(config, type, notice, urgent))
        if not urgent:
            found.append(_prospect(config, type, None, True))
    return found


def _prospect(config: Config, type: EventType, notice: timedelta | None, short: bool) -> Prospect:
    return Prospect(type=type, short=short, notice=notice, cases=tuple(_cases(config, type, notice, short)))


def _cases(config: Config, type: EventType, notice: timedelta | None, short: bool) -> Iterator[Case]:
    available = None if notice is None else notice - config.settings.margin
    least, most = (timedelta(), config.settings.short_path) if notice is None else (notice, notice)
    for rule in config.rules:
        if not _may_fit(rule, type, least, most):
            continue
        chain = config.chain(rule)
        slots = tuple(plan(chain, available, urgent=short))
        conditions = (*_conditions(rule), *_on_notice(rule, least, most))
        yield Case(rule=rule, conditions=conditions, chain=chain, slots=slots)
        if not conditions:
            return
    yield Case(rule=None, conditions=())


def _may_fit(rule: Rule, type: EventType, least: timedelta, most: timedelta) -> bool:
    """For some notice between the two."""
    if (rule.types and type not in rule.types) or contradiction(rule):
        return False
    return (rule.notice_under is None or least < rule.notice_under) and (
        rule.notice_over is None or most > rule.notice_over
    )


def _on_notice(rule: Rule, least: timedelta, most: timedelta) -> Iterator[str]:
    """What of it is not decided between the two."""
    if rule.notice_under is not None and rule.notice_under < most:
        yield f"less than {write_duration(rule.notice_under)} is left"
    if rule.notice_over is not None and rule.notice_over >= least:
        yield f"more than {write_duration(rule.notice_over)} is left"


def _conditions(rule: Rule) -> Iterator[str]:
    """Of those that the type and the notice do not decide."""
    if rule.source:
        yield f"it comes from {rule.source}"
    if rule.resources:
        yield f"a machine of it is called {' or '.join(rule.resources)}"
    if rule.shorter_than is not None:
        yield f"it is known to last less than {write_duration(rule.shorter_than)}"
    if rule.longer_than is not None:
        yield f"it lasts more than {write_duration(rule.longer_than)}, or nobody knows how long"


def contradiction(rule: Rule) -> bool:
    """Whether nothing can ever fit it."""
    lasts = rule.shorter_than is not None and rule.longer_than is not None and rule.shorter_than <= rule.longer_than
    leaves = rule.notice_under is not None and rule.notice_over is not None and rule.notice_under <= rule.notice_over
    return lasts or leaves


def warnings(config: Config) -> list[str]:
    return [
        *(["there is no rule: nothing is done about any event"] if not config.rules else []),
        *_unreachable(config.rules),
        *_unused(config),
        *_unfit(config),
        *_alone(config),
    ]


def _unreachable(rules: Sequence[Rule]) -> Iterator[str]:
    for number, rule in enumerate(rules):
        if contradiction(rule):
            yield f"{rule.name} can never fit: its limits contradict each other"
            continue
        before = next((other for other in rules[:number] if covers(other, rule)), None)
        if before is not None:
            yield f"{rule.name} is never reached: {before.name} stands before it and fits all that it fits"


def covers(wide: Rule, narrow: Rule) -> bool:
    """Whether whatever fits the one fits the other."""
    return (
        (not wide.types or (bool(narrow.types) and set(narrow.types) <= set(wide.types)))
        and wide.source in ("", narrow.source)
        and (not wide.resources or (bool(narrow.resources) and set(narrow.resources) <= set(wide.resources)))
        and _at_most(narrow.shorter_than, wide.shorter_than)
        and _at_most(narrow.notice_under, wide.notice_under)
        and _at_least(narrow.longer_than, wide.longer_than)
        and _at_least(narrow.notice_over, wide.notice_over)
    )


def _at_most(narrow: timedelta | None, wide: timedelta | None) -> bool:
    return wide is None or (narrow is not None and narrow <= wide)


def _at_least(narrow: timedelta | None, wide: timedelta | None) -> bool:
    return wide is None or (narrow is not None and narrow >= wide)


def _unused(config: Config) -> Iterator[str]:
    used = {name for rule in config.rules for name in rule.steps}
    for name in config.steps:
        if name not in used:
            yield f"steps.{name} is used by no rule"


def _unfit(config: Config) -> Iterator[str]:
    """Of each chain, what is cut or left out with the usual notice."""
    for prospect in prospects(config):
        if prospect.notice is None:
            continue
        notice = f"{prospect.type.value} with {write_duration(prospect.notice)} of notice"
        if prospect.cases[-1].rule is None:
            yield f"{prospect.type.value}: not every such event fits a rule; what does not is left alone"
        for case in prospect.cases:
            for slot in case.slots:
                if slot.warning and case.rule is not None:
                    yield f"{notice}, {case.rule.name}: {slot.warning}"


def _alone(config: Config) -> Iterator[str]:
    if config.settings.peers:
        return
    for rule in config.rules:
        if not rule.ignore and config.approval(rule) is Approval.ALL_READY:
            yield (
                f"{rule.name} approves when all are ready, and [agent] peers is not set: that works with a Forewarn"
                " server; on Azure itself nobody keeps who is ready, so an event of several machines is not approved"
            )
