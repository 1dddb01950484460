"""What is written durably is there whole, and nobody else's to read."""

import stat
from pathlib import Path

import pytest

from forewarn.disk import put_in_place, write_private


def test_it_is_there_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        write_private(tmp_path / "x", content)
        assert (tmp_path / "x").read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o600


def test_a_draft_that_a_crash_left_is_in_nobody_s_way(tmp_path: Path) -> None:
    (tmp_path / ".x.new").write_text("half")
    write_private(tmp_path / "x", b"whole")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"whole"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    write_private(tmp_path / "x", b"before")
    (tmp_path / ".x.new").mkdir()
    with pytest.raises(OSError, match=r"\.x\.new"):
        write_private(tmp_path / "x", b"after")
    assert (tmp_path / "x").read_bytes() == b"before"


def test_a_file_takes_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "new").write_text("new")
    put_in_place(tmp_path / "new", tmp_path / "old")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old", "new")]
