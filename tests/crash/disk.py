"""A disk in memory that remembers everything asked of it, and what of it survives a power cut at any moment.

Nothing a program does after a cut can change what it did before: so a program runs once, to its end, and every cut is
tried on the record of what it asked.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TypeAlias

SECTOR = 512
"""What a disk writes whole or not, if it writes it at all. Smaller than any real one's, and so harsher."""

Image: TypeAlias = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Write:
    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    file: str


@dataclass(frozen=True, slots=True)
class Delete:
    file: str
    durable: bool  # whether the directory was synced as well


Asked: TypeAlias = Write | Truncate | Sync | Delete


@dataclass(slots=True)
class Disk:
    """The disk as a running program sees it."""

    files: dict[str, bytearray]
    record: list[Asked] = field(default_factory=list)

    @classmethod
    def holding(cls, image: Image) -> "Disk":
        return cls({name: bytearray(content) for name, content in image.items()})

    def do(self, asked: Asked) -> None:
        self.record.append(asked)
        match asked:
            case Write(name, offset, data):
                file = self.files.setdefault(name, bytearray())
                file.extend(bytes(max(0, offset - len(file))))
                file[offset : offset + len(data)] = data
            case Truncate(name, size):
                del self.files[name][size:]
            case Delete(name):
                del self.files[name]
            case Sync():
                pass


class Fate(Enum):
    """What becomes of what was written to a file and not yet synced."""

    LOST = "all of it is lost"
    KEPT = "all of it has arrived"
    WHOLE = "each sector is found in one of its versions"
    TORN = "each sector may be found half in one version, half in another"


class Platter:
    """The disk as a power cut finds it."""

    def __init__(self, image: Image) -> None:
        self._files = {name: _File(content) for name, content in image.items()}

    def do(self, asked: Asked) -> None:
        file = self._files.setdefault(asked.file, _File(None))
        if isinstance(asked, Sync) and not file.is_certain:
            for other in self._files.values():  # SQLite syncs the directory together with a file it has just made
                other.forget_if_deleted()
        file.do(asked)

    def after_cut(self, chance: Random) -> Image:
        """One of the many ways in which the disk may be found."""
        found = {name: file.after_cut(chance) for name, file in self._files.items()}
        return {name: content for name, content in found.items() if content is not None}


class _File:
    """What of a file is certain, and what may or may not have arrived yet."""

    def __init__(self, content: bytes | None) -> None:
        self._now = bytearray(content or b"")
        self._settle(exists=content is not None)

    @property
    def is_certain(self) -> bool:
        return self._sizes[0] is not None

    def forget_if_deleted(self) -> None:
        if self._sizes[-1] is None:
            self._settle(exists=False)

    def do(self, asked: Asked) -> None:
        match asked:
            case Write(_, offset, data):
                self._now.extend(bytes(max(0, offset - len(self._now))))
                self._now[offset : offset + len(data)] = data
                for sector in range(offset // SECTOR, (offset + len(data) - 1) // SECTOR + 1):
                    self._versions[sector].append(_sector(self._now, sector))
                self._sizes.append(len(self._now))
            case Truncate(_, size):
                del self._now[size:]
                self._sizes.append(size)
            case Sync():
                self._settle(exists=True)
            case Delete(_, durable):
                self._now.clear()
                self._sizes.append(None)
                if durable:
                    self._settle(exists=False)

    def after_cut(self, chance: Random) -> bytes | None:
        """None: the file is not there."""
        fate = chance.choice(tuple(Fate))
        size = _pick(fate, self._sizes, chance)
        if size is None:
            return None
        found = bytearray(self._certain)
        found.extend(bytes(max(0, size - len(found))))
        for sector, versions in self._versions.items():
            place = sector * SECTOR
            content = _torn([_sector(self._certain, sector), *versions], fate, chance)
            found.extend(bytes(max(0, place - len(found))))
            found[place : place + SECTOR] = content
        return bytes(found[:size])

    def _settle(self, *, exists: bool) -> None:
        self._certain = bytes(self._now)
        self._versions: dict[int, list[bytes]] = defaultdict(list)  # of each sector written since
        self._sizes: list[int | None] = [len(self._now) if exists else None]


def _pick(fate: Fate, sizes: Sequence[int | None], chance: Random) -> int | None:
    return {Fate.LOST: sizes[0], Fate.KEPT: sizes[-1]}.get(fate, chance.choice(sizes))


def _torn(versions: Sequence[bytes], fate: Fate, chance: Random) -> bytes:
    match fate:
        case Fate.LOST:
            return versions[0]
        case Fate.KEPT:
            return versions[-1]
        case Fate.WHOLE:
            return chance.choice(versions)
        case Fate.TORN:
            cut = chance.randrange(SECTOR + 1)
            return chance.choice(versions)[:cut] + chance.choice(versions)[cut:]


def _sector(content: bytes | bytearray, sector: int) -> bytes:
    return bytes(content[sector * SECTOR : (sector + 1) * SECTOR]).ljust(SECTOR, b"\0")
