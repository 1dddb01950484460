"""What a scope does by itself when its moment has come."""

from collections.abc import Callable, Sequence

from forewarn.domain.campaigns import Campaign, walk_on
from forewarn.domain.draft import Draft
from forewarn.domain.enrolment import disenrol_if_idle
from forewarn.domain.machines import Machine
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle


def tick(
    draft: Draft,
    scope: str,
    campaign: Campaign | None,
    machines: Sequence[Machine],
    settings: Settings,
    new_id: Callable[[], str],
) -> None:
    """Forget the idle, start what is due, take the campaign a step further."""
    disenrol_if_idle(draft, scope, settings)
    settle(draft)
    if campaign is not None:
        walk_on(draft, scope, campaign, machines, settings, new_id)
