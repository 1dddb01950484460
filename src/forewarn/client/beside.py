"""What Forewarn serves beside Azure's contract: whether a wait can be parked, and who is ready for an event."""

from dataclasses import dataclass

from forewarn.client.errors import Unreadable
from forewarn.client.reading import read_object, text_of

ABOUT = "/forewarn/v1/about"
READY = "/forewarn/v1/ready"


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    version: str = ""
    """Empty: it is not Forewarn, and has none of this."""
    wait: int = 0
    """Seconds that a request may be parked until there is news."""
    ready: bool = False
    """Machines can say that they are ready for an event."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Readiness:
    """Of the machines of one event."""

    event: str
    resources: tuple[str, ...]
    ready: tuple[str, ...]

    @property
    def waiting_for(self) -> tuple[str, ...]:
        ready = {name.casefold() for name in self.ready}
        return tuple(name for name in self.resources if name.casefold() not in ready)

    @property
    def is_complete(self) -> bool:
        """Every machine has said so; never for an event that names none."""
        return bool(self.resources) and not self.waiting_for


def read_about(body: bytes) -> About:
    """Whatever else answers at that path is not Forewarn."""
    try:
        about = read_object(body)
    except Unreadable:
        return About()
    version, wait = text_of(about.get("forewarn")), about.get("wait")
    if not version:
        return About()
    seconds = max(wait, 0) if isinstance(wait, int) else 0
    return About(version=version, wait=seconds, ready=about.get("ready") is True)


def read_readiness(body: bytes) -> Readiness:
    document = read_object(body)
    event, resources, ready = (document.get(key) for key in ("EventId", "Resources", "Ready"))
    if not isinstance(event, str) or not isinstance(resources, list) or not isinstance(ready, list):
        raise Unreadable(f"The answer does not say who is ready: {body[:80]!r}.")
    return Readiness(event=event, resources=tuple(map(text_of, resources)), ready=tuple(map(text_of, ready)))
