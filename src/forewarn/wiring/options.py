"""What `forewarn up` can be told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from forewarn import imds
from forewarn.access.service import Credentials
from forewarn.wire.authorities import bracketed
from forewarn.wiring import minting


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    metadata: tuple[str, int] = ("127.0.0.1", 8254)
    control: tuple[str, int] = ("127.0.0.1", 8255)
    arm: tuple[str, int] | None = ("127.0.0.1", 8443)  # HTTPS; None: only plain http, which Azure's clients refuse
    data: Path | None = None  # None: nothing outlives the process
    fleet: Path | None = None
    sample: str = ""  # the fleet of a store that is still empty, in the fleet file's format
    clock: str = "real"  # or "manual", or a rate such as "60x"
    identity: str = "loopback"  # or "source", or "machine=NAME"
    sockets: Path | None = None  # a directory for one unix socket per machine
    any_address: bool = False  # 0.0.0.0 and :: are meant
    first_answer_delay: timedelta | None = None  # None: as the fleet's settings say
    rotate_keys_after: timedelta = timedelta(days=30)  # a new key signs then; tokens of the old one hold a day more
    faults: bool = False  # clients may be tried (faults, a log of requests) on a real clock, too
    start: datetime | None = None  # where a virtual clock starts; None: where the real one is, or where it was left
    new_id: Callable[[], str] = minting.new_id  # names events and operations
    credentials: Credentials | None = None  # None: those that are kept with the data
    development: bool = False  # the portal also shows its gallery of components
    limits: imds.Limits = field(default_factory=imds.Limits)
    rules: imds.Rules = field(default_factory=imds.Rules)

    @property
    def hosts(self) -> list[str]:
        """The names, as they stand in a Host header, under which the control plane may be asked."""
        places = [place for place in (self.control, self.arm) if place is not None]
        return [*(bracketed(host) for host, _ in places), *self.rules.host_names]

    @property
    def certified(self) -> list[str]:
        """The names in the server's certificate, beside those of loopback."""
        host = self.arm[0] if self.arm else "::"
        return [*self.rules.host_names, *([] if ip_address(host).is_unspecified else [host])]
