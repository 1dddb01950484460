"""What is written here is still there after a power cut, and was never half there.

It knows nothing of Forewarn: it stands below all that keeps something in files of its own.
"""

import os
from contextlib import suppress
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """All of it or nothing, on the disk, and readable by its owner alone from the first moment."""
    draft = path.with_name(f".{path.name}.new")
    with suppress(FileNotFoundError):
        draft.unlink()
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    put_in_place(draft, path)


def put_in_place(draft: Path, path: Path) -> None:
    """The draft is `path` from now on, in place of what was there."""
    with draft.open("rb") as file:
        os.fsync(file.fileno())  # before the rename: a name must not outlive what it names
    draft.replace(path)
    sync(path.parent)


def sync(directory: Path) -> None:
    """Make the names in it durable."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
