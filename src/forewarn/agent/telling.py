"""`forewarn agent check`: what would run for each type of event, in words."""

from collections.abc import Iterator

from forewarn.agent.checking import NOTICES, Case, Prospect, prospects
from forewarn.agent.config import Approval, Config, OnFailure, StepSpec
from forewarn.agent.durations import write_duration
from forewarn.agent.steps import build
from forewarn.agent.timing import Slot

WHO = {
    Approval.OWN: "this machine, if the event is about it alone",
    Approval.LEADER: "the first of the event's machines; the next after {takeover} if it stays silent",
    Approval.ALL_READY: "any of the event's machines, once all have said that they are ready",
    Approval.NEVER: "nobody: it starts when its notice is over",
    Approval.ASK: "a person, with `forewarn agent approve`",
}


def tell(config: Config) -> Iterator[str]:
    """Line by line. Types for which the same is done are told of together."""
    told: dict[tuple[str, ...], list[str]] = {}
    for prospect in prospects(config):
        told.setdefault(tuple(_body(config, prospect)), []).append(_heading(config, prospect))
    for body, headings in told.items():
        yield from headings
        yield from body
        yield ""


def _heading(config: Config, prospect: Prospect) -> str:
    name = prospect.type.value
    if prospect.notice is None:
        return f"{name} on the short path: seen with under {write_duration(config.settings.short_path)} of notice"
    short = ", which is the short path" if prospect.short else ""
    return f"{name} with {write_duration(NOTICES[prospect.type])} of notice{short}"


def _body(config: Config, prospect: Prospect) -> Iterator[str]:
    for number, case in enumerate(prospect.cases):
        otherwise = "otherwise " if number else ""
        condition = f"if {' and '.join(case.conditions)}: " if case.conditions else otherwise
        yield from _case(config, case, f"  {otherwise if case.conditions else ''}{condition}")


def _case(config: Config, case: Case, start: str) -> Iterator[str]:
    rule = case.rule
    if rule is None:
        yield f"{start}left alone: no rule fits"
        return
    if rule.ignore:
        yield f"{start}ignored, by {rule.name}"
        return
    yield f"{start}by {rule.name}" + ("" if case.chain else ", nothing is prepared")
    for number, (spec, slot) in enumerate(zip(case.chain, case.slots, strict=True), 1):
        yield from _step(number, spec, slot)
    for spec in config.tellers(rule):
        yield f"    {spec.name} (notify): {build(spec).told()[0]}"
    who = WHO[config.approval(rule)].format(takeover=write_duration(config.settings.takeover))
    even = ", even after a step failed" if rule.approve_after_failure else ""
    yield f"    approved by {who}{even}"


def _step(number: int, spec: StepSpec, slot: Slot) -> Iterator[str]:
    prepare, restore = build(spec).told()
    goes_on = ", may fail" if spec.on_failure is OnFailure.GO_ON else ""
    if slot.limit is None:
        yield f"    {number}. {spec.name} ({spec.use}): {slot.warning or 'left out of the short path'}"
        return
    yield f"    {number}. {spec.name} ({spec.use}, up to {write_duration(slot.limit)}{goes_on})"
    yield f"       before: {prepare or 'nothing'}"
    limit = write_duration(spec.restore_limit or spec.limit)
    yield f"       after:  {restore}, up to {limit}" if restore else "       after:  nothing"
