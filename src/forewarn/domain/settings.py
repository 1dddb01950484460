"""The numbers the rules use. The defaults are Azure's, as far as they are documented."""

from datetime import timedelta

from msgspec import Struct

from forewarn.domain.events import EventType

LONGEST_FIRST_ANSWER = timedelta(minutes=2)


class Settings(Struct, frozen=True, kw_only=True):
    notice_freeze: timedelta = timedelta(minutes=15)
    notice_reboot: timedelta = timedelta(minutes=15)
    notice_redeploy: timedelta = timedelta(minutes=10)
    notice_preempt: timedelta = timedelta(seconds=30)
    notice_terminate: timedelta = timedelta(minutes=5)  # where the machine's model does not say
    terminate_min: timedelta = timedelta(minutes=5)
    terminate_max: timedelta = timedelta(minutes=15)
    repair_grace_min: timedelta = timedelta(minutes=10)
    repair_grace_max: timedelta = timedelta(minutes=90)
    user_operations: int = 10  # user-initiated restarts and redeploys under way at once, per scope
    disenrol_after: timedelta = timedelta(hours=24)
    first_answer_delay: timedelta = timedelta(0)  # Azure takes up to LONGEST_FIRST_ANSWER
    recovery_pause: timedelta = timedelta(minutes=30)  # between two update domains of a campaign
    recently_finished: timedelta = timedelta(minutes=10)  # how long approving an ended event is still answered with 200
    driver_attempts: int = 5
    driver_backoff: timedelta = timedelta(seconds=2)  # doubles with every attempt


def minimum_notice(impact: EventType, settings: Settings) -> timedelta:
    match impact:
        case EventType.FREEZE:
            return settings.notice_freeze
        case EventType.REBOOT:
            return settings.notice_reboot
        case EventType.REDEPLOY:
            return settings.notice_redeploy
        case EventType.PREEMPT:
            return settings.notice_preempt
        case EventType.TERMINATE:
            return settings.notice_terminate
