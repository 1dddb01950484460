"""The parts of a description that speak of scheduled events: two notification profiles, and the policy."""

from datetime import timedelta

from forewarn.domain.errors import Invalid
from forewarn.domain.scopes import EventsPolicy
from forewarn.wire.compute.digging import Json, a_flag, a_text, an_object, dig
from forewarn.wire.durations import format_iso, parse_iso

PROFILE = "scheduledEventsProfile"
POLICY = "scheduledEventsPolicy"
TERMINATE = "terminateNotificationProfile"
OS_IMAGE = "osImageNotificationProfile"
OS_IMAGE_NOTICE = timedelta(minutes=15)
DEFAULTS = {TERMINATE: timedelta(minutes=5), OS_IMAGE: OS_IMAGE_NOTICE}
_GRID = ("scheduledEventsAdditionalPublishingTargets", "eventGridAndResourceGraph")


def settle_profile(holder: Json) -> Json:
    """What is switched off is gone, and the profile left empty; a time alone is a notification that is wanted."""
    profile = an_object(holder, PROFILE)
    if not profile:
        return holder
    settled = {name: value for name, value in profile.items() if name not in DEFAULTS}
    for name in DEFAULTS:
        if name in profile and a_flag(profile, name, "enable", default=True):
            time = a_text(profile, name, "notBeforeTimeout") or format_iso(DEFAULTS[name])
            settled[name] = {"notBeforeTimeout": time, "enable": True}
    return {**holder, PROFILE: settled}


def settle_policy(properties: Json) -> Json:
    """A policy that asks for nothing is none."""
    policy = an_object(properties, POLICY)
    wants = a_flag(policy, "userInitiatedReboot", "automaticallyApprove")
    wants = a_flag(policy, "userInitiatedRedeploy", "automaticallyApprove") or wants
    wants = a_flag(policy, *_GRID, "enable") or wants
    if wants or "allInstancesDown" in policy:
        return properties
    return {name: value for name, value in properties.items() if name != POLICY}


def terminate_notice(holder: Json) -> timedelta | None:
    return _notice(holder, TERMINATE)


def os_image_notice(holder: Json) -> timedelta | None:
    notice = _notice(holder, OS_IMAGE)
    if notice not in (None, OS_IMAGE_NOTICE):
        wanted = format_iso(OS_IMAGE_NOTICE)
        raise Invalid(f"{OS_IMAGE}.notBeforeTimeout must be {wanted}, not {format_iso(notice)}.")
    return notice


def _notice(holder: Json, name: str) -> timedelta | None:
    text = dig(holder, PROFILE, name, "notBeforeTimeout")
    if text is None:
        return None
    try:
        return parse_iso(text)
    except ValueError as error:
        raise Invalid(f"{name}.notBeforeTimeout: {error}.") from None


def policy_of(properties: Json) -> EventsPolicy:
    policy = an_object(properties, POLICY)
    grid = an_object(policy, *_GRID)
    return EventsPolicy(
        approve_user_reboot=a_flag(policy, "userInitiatedReboot", "automaticallyApprove"),
        approve_user_redeploy=a_flag(policy, "userInitiatedRedeploy", "automaticallyApprove"),
        approve_all_instances_down=a_flag(policy, "allInstancesDown", "automaticallyApprove", default=True),
        publish=a_flag(grid, "enable"),
        publish_version=_published(grid),
    )


def _published(grid: Json) -> str:
    known = EventsPolicy().publish_version
    version = a_text(grid, "scheduledEventsApiVersion") or known
    if version != known:
        raise Invalid(f"'scheduledEventsApiVersion' must be {known}, the one version that is published.")
    return version
