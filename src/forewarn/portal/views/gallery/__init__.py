"""Made-up values for the gallery: each state that a component can be in.

They are made as the pages make them: domain values go in, the views' own functions turn them into what is shown.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.events import ActorKind, EventType, Phase
from forewarn.domain.settings import Settings
from forewarn.portal.views.gallery.campaigns import CampaignStates, campaign_states
from forewarn.portal.views.gallery.events import EventStates, event_states
from forewarn.portal.views.gallery.fleet import FleetStates, fleet_states
from forewarn.portal.views.gallery.machines import MachineStates, machine_states
from forewarn.portal.views.gallery.scale_sets import SetStates, set_states
from forewarn.portal.views.gallery.timeline import TimelineStates, timeline_states


@dataclass(frozen=True, kw_only=True, slots=True)
class GalleryView:
    types: tuple[EventType, ...]
    phases: tuple[Phase, ...]
    kinds: tuple[ActorKind, ...]
    soon: datetime
    later: datetime
    settings: Settings
    fleet: FleetStates
    events: EventStates
    machines: MachineStates
    timeline: TimelineStates
    campaigns: CampaignStates
    sets: SetStates


def gallery_view(now: datetime) -> GalleryView:
    return GalleryView(
        types=tuple(EventType),
        phases=tuple(Phase),
        kinds=tuple(ActorKind),
        soon=now + timedelta(seconds=42),
        later=now + timedelta(minutes=14, seconds=59),
        settings=Settings(),
        fleet=fleet_states(now),
        events=event_states(now),
        machines=machine_states(now),
        timeline=timeline_states(now),
        campaigns=campaign_states(now),
        sets=set_states(now),
    )
