"""One machine, and what would come of what can be done to it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from forewarn.domain.errors import Conflict
from forewarn.domain.events import EventType, OperationState, Phase
from forewarn.domain.history import What
from forewarn.domain.machines import Power, Priority
from forewarn.portal.views.gallery.making import ALICE, MINUTE, a_machine, a_scope, an_entry, an_event, an_operation
from forewarn.portal.views.lately import Late
from forewarn.portal.views.machines import Deed, MachineView, Offer, machine_view
from forewarn.portal.views.rehearsing import Outlook, Preview

REFUSAL = Conflict("{name} is being deleted: wait until it is gone.", key="being_deleted", name="web")
URL = "http://web-3.localhost:8090"


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineStates:
    previews: tuple[Preview, ...]
    views: dict[str, MachineView]
    lately: tuple[Late, ...]


def machine_states(now: datetime) -> MachineStates:
    under_way = _preview(Outlook.UNDER_WAY, now)
    return MachineStates(
        previews=(
            *(_preview(outlook, now) for outlook in Outlook),
            replace(under_way, event=None),
            replace(_preview(Outlook.ANNOUNCED, now), replaced=True),
        ),
        views={"much goes on": _busy(now), "Spot, and stopped": _spot(now), "nothing goes on": _idle()},
        lately=_lately(now),
    )


def _preview(outlook: Outlook, now: datetime) -> Preview:
    has_notice = outlook is Outlook.ANNOUNCED
    return Preview(
        outlook=outlook,
        impact=EventType.REBOOT,
        machine="web_3",
        scope="web:0",
        not_before=now + 15 * MINUTE if has_notice else None,
        notice=15 * MINUTE if has_notice else None,
        event="00000001",
        refusal=REFUSAL if outlook is Outlook.REFUSED else None,
    )


def _busy(now: datetime) -> MachineView:
    """Enrolled, an instance, with events and with an operation that nobody was told of."""
    machine = a_machine(
        3, zone="1", host="host-1", computer_name="web000003", terminate_notice=10 * MINUTE, os_image_notice=15 * MINUTE
    )
    events = [an_event(n, now, phase=phase, resources=("web_3",)) for n, phase in enumerate(Phase) if phase.is_live]
    ran = an_operation(an_event(9, now, resources=("web_3",)), event=None)
    scope = a_scope(events, operations=(ran,), enrolled_at=now - timedelta(hours=2), last_seen=now)
    return machine_view(machine, scope, metadata_url=URL, offers=_offers(now))


def _offers(now: datetime) -> list[Offer]:
    """Each deed, with what comes of it taking turns."""
    outlooks = tuple(Outlook)
    return [Offer(deed=deed, preview=_preview(outlooks[n % len(outlooks)], now)) for n, deed in enumerate(Deed)] + [
        Offer(deed=Deed.RESTART, preview=_preview(Outlook.REFUSED, now))
    ]


def _spot(now: datetime) -> MachineView:
    machine = a_machine(3, priority=Priority.SPOT, power=Power.STOPPED, instance="")
    offers = [Offer(deed=Deed.DELETE, preview=_preview(Outlook.UNANNOUNCED, now))]
    return machine_view(machine, a_scope(), metadata_url=URL, offers=offers)


def _idle() -> MachineView:
    machine = a_machine(3, scope="db", name="db-3", instance="")
    return machine_view(machine, a_scope(id="db", scale_set=None), metadata_url=URL)


def _lately(now: datetime) -> tuple[Late, ...]:
    event = an_event(1, now, phase=Phase.COMPLETED, resources=tuple(f"web_{n}" for n in range(5)))
    ran = an_operation(event, event=None)
    born = an_entry(now - 5 * MINUTE, What.SCHEDULED, event.id)
    done = [
        Late(entry=an_entry(now - n * MINUTE, What.RAN, ran.id), operation=an_operation(event, event=None, state=state))
        for n, state in enumerate(OperationState, 6)
    ]
    power = an_entry(now - MINUTE, What.POWER, "web_3", before="running", after="stopped", detail="by hand")
    removed = an_entry(now, What.REMOVED, "web_3", who=ALICE)
    return (Late(entry=removed), Late(entry=power), Late(entry=born, event=event), *done)
