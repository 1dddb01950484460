"""The captured documents as values of the domain, by the name of their golden file.

Of a `.part` only the part was captured; the rest of its document (incarnation, the end of a name, a date) is made up.
"""

from datetime import UTC, datetime

from forewarn.domain.events import Announcement, Document, EventType, Phase, Source

RESTARTED = "Virtual machine is going to be restarted as requested by authorized user."
REDEPLOYED = "Virtual machine is going to be redeployed as requested by authorized user."
MAINTENANCE = "Host server is undergoing maintenance."
LIVE_MIGRATION = "Virtual machine is being paused because of a memory-preserving Live Migration operation."


def document(incarnation: int, *events: Announcement, iaas: bool = True) -> Document:
    return Document(
        scope="scope", epoch=1, incarnation=incarnation, enrolled=True, iaas=iaas, announcements=tuple(events)
    )


def event(
    id: str,
    type: EventType,
    *resources: str,
    not_before: str | None = None,
    description: str = "",
    source: Source = Source.PLATFORM,
    duration: int = -1,
) -> Announcement:
    """Scheduled for a moment (UTC), or without one Started."""
    return Announcement(
        id=id,
        phase=Phase.STARTED if not_before is None else Phase.SCHEDULED,
        type=type,
        source=source,
        resources=resources,
        not_before=None if not_before is None else datetime.fromisoformat(not_before).replace(tzinfo=UTC),
        description=description,
        duration=duration,
    )


def live_migration(not_before: str | None) -> Announcement:
    return event(
        "C7061BAC-AFDC-4513-B24B-AA5F13A16123",
        EventType.FREEZE,
        "WestNO_0",
        "WestNO_1",
        not_before=not_before,
        description=LIVE_MIGRATION,
        duration=5,
    )


DOCUMENTS: dict[str, Document] = {
    "2017-03-01/empty-0.json": document(0),
    "2017-03-01/empty-1.json": document(1),
    "2017-08-01/ms-sample-2018-empty.json": document(190),
    "2017-08-01/ms-sample-2018-two-reboots.json": document(
        192,
        event("28512AF7-C957-4500-9BC4-842D6FB531E4", EventType.REBOOT, "sample_4", not_before="2018-01-24 21:20:44"),
        event("A626E37F-793E-44E1-89B5-99AE0B96044C", EventType.REBOOT, "sample_1", not_before="2018-01-24 21:20:44"),
    ),
    "2017-11-01/freeze-scheduled.json": document(
        279, event("xxx", EventType.FREEZE, "xxxx", not_before="2019-09-26 15:15:21")
    ),
    "2019-08-01/freeze-started.json": document(
        208,
        event(
            "D3D9DFEC-1DCA-4B49-97AA-780E02F45DFE",
            EventType.FREEZE,
            "aks-nodepool1-21922338-vmss_47",
            description=MAINTENANCE,
        ),
    ),
    "2019-08-01/preempt-aks.json": document(
        1,
        event(
            "51941B56-8080-45AC-81AE-8BDA818F5958",
            EventType.PREEMPT,
            "aks-workloads1-15413341-vmss_3",
            not_before="2024-03-16 19:52:09",
        ),
    ),
    "2019-08-01/preempt-docs.json": document(
        1,
        event("A123BC45-1234-5678-AB90-ABCDEF123456", EventType.PREEMPT, "myspotvm", not_before="2021-03-16 00:58:46"),
    ),
    "2019-08-01/reboot-scheduled.json": document(
        213,
        event(
            "FA298C74-AE95-4154-8EBF-303EED382DB6",
            EventType.REBOOT,
            "aks-nodepool1-21922338-vmss_39",
            not_before="2021-03-30 13:39:24",
            description=RESTARTED,
            source=Source.USER,
        ),
    ),
    "2019-08-01/terminate-scheduled.part": document(
        1,
        event(
            "C37355DB-2C23-4195-90CA-1A712A85650C",
            EventType.TERMINATE,
            "aks-tompool-39923754-vmss_13",
            not_before="2021-02-11 12:00:00",
        ),
    ),
    "2020-07-01/freeze-started-30s.part": document(
        31,
        event(
            "B2BC520E-BDA2-44A0-BF75-0C320524BB47",
            EventType.FREEZE,
            "aks-testspot-38041100-vmss_25",
            description=MAINTENANCE,
            duration=30,
        ),
    ),
    "2020-07-01/freeze-started-6s.part": document(
        32,
        event(
            "3474C1DD-0917-49F4-85F7-84B9E366719B",
            EventType.FREEZE,
            "regular-node-30975042-vmss_6",
            description=MAINTENANCE,
            duration=6,
        ),
    ),
    "2020-07-01/live-migration/1.json": document(1),
    "2020-07-01/live-migration/2.json": document(2, live_migration("2022-04-11 22:26:58")),
    "2020-07-01/live-migration/3.json": document(3, live_migration(None)),
    "2020-07-01/live-migration/4.json": document(4),
    "2020-07-01/preempt-scheduled.json": document(
        1,
        event("C1BF8322-4CBF-4FC4-9C45-B40CF3106D0E", EventType.PREEMPT, "vm-spot", not_before="2022-08-09 17:07:32"),
    ),
    "2020-07-01/reboot-scheduled.part": document(
        2,
        event(
            "CA9C0DC4-E841-476D-94D5-9FC2FF983BCD",
            EventType.REBOOT,
            "<vm>",
            not_before="2023-03-16 14:01:28",
            description=RESTARTED,
            source=Source.USER,
        ),
    ),
    "2020-07-01/redeploy-scheduled.json": document(
        1,
        event(
            "A9A902A0-B0EA-4E7C-B970-E734ECF66A35",
            EventType.REDEPLOY,
            "win-scheve-eus",
            not_before="2024-02-21 03:08:47",
            description=REDEPLOYED,
            source=Source.USER,
        ),
    ),
    "2020-07-01/user-reboot/1.json": document(1),
    "2020-07-01/user-reboot/2.json": document(
        2,
        event(
            "4CAEA225-A741-474D-A72E-428C86FCD853",
            EventType.REBOOT,
            "flatcar-vm1",
            not_before="2021-07-22 04:50:17",
            source=Source.USER,
        ),
    ),
    "2020-07-01/user-reboot/4.json": document(4),
}
