"""What lies in the data directory is private, whole, and enough to log in."""

import stat
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from forewarn.access.files import ca_file, read_local, token_in, token_request, write_local
from forewarn.domain.errors import Invalid
from tests.access.making import LOCAL, SECRET, TENANT


def test_the_login_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_local(tmp_path) is None
    write_local(tmp_path, LOCAL)
    assert read_local(tmp_path) == LOCAL
    assert ca_file(tmp_path) == tmp_path / "access" / "ca.pem"


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    write_local(tmp_path, LOCAL)
    write_local(tmp_path, LOCAL)
    held = tmp_path / "access"
    assert stat.S_IMODE(held.stat().st_mode) == 0o700
    assert [path.name for path in held.iterdir()] == ["local.json"]
    assert stat.S_IMODE((held / "local.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "{", "[]", '{"tenant": "x"}'])
def test_a_damaged_login_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "access").mkdir()
    (tmp_path / "access" / "local.json").write_text(content)
    with pytest.raises(Invalid, match=r"local\.json cannot be read"):
        read_local(tmp_path)


def test_the_secret_is_shown_to_nobody_by_chance() -> None:
    assert SECRET not in f"{LOCAL} {token_request(LOCAL)}"


def test_a_token_is_asked_for_as_oauth_says() -> None:
    request = token_request(LOCAL)
    assert request.path == f"/{TENANT}/oauth2/v2.0/token"
    assert parse_qs(request.body.decode())["client_secret"] == [SECRET]
    assert token_in(b'{"access_token": "x.y.z", "expires_in": 1}') == "x.y.z"


@pytest.mark.parametrize("answer", [b"", b"<html>", b"{}", b'{"error": "invalid_client"}'])
def test_an_answer_without_a_token_is_told(answer: bytes) -> None:
    with pytest.raises(ValueError, match="no token in the answer"):
        token_in(answer)
