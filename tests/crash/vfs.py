"""SQLite on such a disk, through apsw.

The write-ahead log needs shared memory between processes, or, in exclusive locking mode, a private index of the log on
the heap. The crash tests use the latter: the index is lost in a power cut either way and rebuilt from the log, so what
is written to the files, and when it is synced, is the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import apsw

from forewarn.store.connecting import DURABLE
from tests.crash.disk import Delete, Disk, Sync, Truncate, Write

DATABASE = "forewarn.db"
PAGES_BETWEEN_CHECKPOINTS = 24
"""Few, so that the log is folded in and started anew many times."""

_numbers = count()


@contextmanager
def connected(disk: Disk, *, synchronous: str = "full") -> Iterator[apsw.Connection]:
    vfs = _Vfs(disk)
    connection = apsw.Connection(DATABASE, vfs=vfs.name)
    try:
        for pragma in (
            "pragma locking_mode = exclusive",
            "pragma temp_store = memory",
            *DURABLE,
            f"pragma synchronous = {synchronous}",
            f"pragma wal_autocheckpoint = {PAGES_BETWEEN_CHECKPOINTS}",
        ):
            connection.execute(pragma)
        yield connection
    finally:
        connection.close(True)
        vfs.unregister()


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self.name = f"crash-{next(_numbers)}"
        self._disk = disk
        super().__init__(self.name, base="")

    def xFullPathname(self, name: str) -> str:
        return name

    def xAccess(self, pathname: str, flags: int) -> bool:
        return pathname in self._disk.files

    def xDelete(self, filename: str, syncdir: bool) -> None:
        if filename not in self._disk.files:
            raise apsw.IOError("no such file")
        self._disk.do(Delete(filename, syncdir))

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if name is None:
            raise apsw.CantOpenError("temporary files are not expected: temp_store is memory")
        path = name if isinstance(name, str) else name.filename()
        flags[1] = flags[0]
        if path not in self._disk.files:
            self._disk.do(Write(path, 0, b""))
        return _File(self._disk, path)  # type: ignore[return-value]  # apsw asks only for the methods


class _File:
    def __init__(self, disk: Disk, name: str) -> None:
        self._disk = disk
        self._name = name

    def xRead(self, amount: int, offset: int) -> bytes:
        return bytes(self._disk.files[self._name][offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.do(Write(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        self._disk.do(Truncate(self._name, newsize))

    def xSync(self, flags: int) -> None:
        self._disk.do(Sync(self._name))

    def xFileSize(self) -> int:
        return len(self._disk.files[self._name])

    def xSectorSize(self) -> int:
        return 4096

    def xDeviceCharacteristics(self) -> int:
        """As SQLite assumes of real disks: a cut write harms no byte beside those being written."""
        return apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE

    def xLock(self, level: int) -> None:
        """Nobody else is there."""

    def xUnlock(self, level: int) -> None:
        """Nobody else is there."""

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:
        return False

    def xClose(self) -> None:
        """Nothing to let go of."""
