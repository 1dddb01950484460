"""Which rule an event falls under: the first that fits."""

from collections.abc import Sequence
from datetime import timedelta
from fnmatch import fnmatchcase

from forewarn.agent.config import Rule
from forewarn.client.documents import Event


def choose(rules: Sequence[Rule], event: Event, left: timedelta | None) -> Rule | None:
    """`left` is the notice that remains; None if that is not known."""
    return next((rule for rule in rules if fits(rule, event, left)), None)


def fits(rule: Rule, event: Event, left: timedelta | None) -> bool:
    return (
        (not rule.types or event.type in rule.types)
        and (not rule.source or event.source == rule.source)
        and (not rule.resources or any(_named(pattern, event) for pattern in rule.resources))
        and _lasts(rule, event.duration)
        and _leaves(rule, left)
    )


def _named(pattern: str, event: Event) -> bool:
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in event.resources)


def _lasts(rule: Rule, duration: timedelta | None) -> bool:
    """An interruption of unknown length is taken for a long one."""
    if rule.shorter_than is not None and (duration is None or duration >= rule.shorter_than):
        return False
    return rule.longer_than is None or duration is None or duration > rule.longer_than


def _leaves(rule: Rule, left: timedelta | None) -> bool:
    """Notice of unknown length is taken for none."""
    known = timedelta() if left is None else left
    if rule.notice_under is not None and known >= rule.notice_under:
        return False
    return rule.notice_over is None or known > rule.notice_over
