"""Reads the golden files, and knows which there are."""

from pathlib import Path

ROOT = Path(__file__).parent / "golden"


def golden(path: str) -> bytes:
    return (ROOT / path).read_bytes()


def names(folder: str) -> set[str]:
    """Every file below a folder, relative to it."""
    return {str(path.relative_to(ROOT / folder)) for path in (ROOT / folder).rglob("*") if path.is_file()}
