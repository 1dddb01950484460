"""Logging in to a whole Forewarn: over HTTPS and plain http, over restarts, without leaving a trace in the log."""

import asyncio
import json
import logging
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest

from forewarn.access.files import Local, ca_file, read_local, token_in, token_request
from forewarn.wiring import Forewarn, Options, running, wall
from tests.waiting import until

T = TypeVar("T")
HERE = ("127.0.0.1", 0)
CLOCK = "/forewarn/v1/clock"


def options(data: Path | None) -> Options:
    return Options(metadata=HERE, control=HERE, arm=HERE, data=data)


def while_up(told: Options, story: Callable[[Forewarn], T]) -> T:
    """What the story tells, run beside a Forewarn as anybody's client would."""

    async def run() -> T:
        async with running(told) as forewarn:
            return await asyncio.to_thread(story, forewarn)

    return asyncio.run(run())


def login(data: Path) -> Local:
    local = read_local(data)
    assert local is not None
    return local


def fetch(
    url: str, headers: dict[str, str] | None = None, body: bytes | None = None, trusted: Path | None = None
) -> tuple[int, bytes]:
    context = ssl.create_default_context(cafile=str(trusted)) if trusted else None
    request = urllib.request.Request(url, body, headers or {})
    try:
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def token(url: str, local: Local, trusted: Path | None = None) -> dict[str, str]:
    asked = token_request(local)
    status, answer = fetch(url + asked.path, asked.headers, asked.body, trusted)
    assert status == 200, answer
    return {"Authorization": f"Bearer {token_in(answer)}"}


def code(answer: bytes) -> str:
    told: dict[str, Any] = json.loads(answer)
    return str(told["error"]["code"])


def test_both_faces_answer_on_both_ports_to_the_same_token(tmp_path: Path) -> None:
    def story(forewarn: Forewarn) -> None:
        assert forewarn.arm_url is not None
        ca = ca_file(tmp_path)
        bearer = token(forewarn.control_url, login(tmp_path))
        assert fetch(forewarn.control_url + CLOCK, bearer)[0] == 200
        assert fetch(forewarn.arm_url + CLOCK, bearer, trusted=ca)[0] == 200
        other = token(forewarn.arm_url, login(tmp_path), ca)
        assert fetch(forewarn.control_url + CLOCK, other)[0] == 200
        assert fetch(f"{forewarn.control_url}/subscriptions")[0] == 401
        assert fetch(f"{forewarn.arm_url}/subscriptions", trusted=ca)[0] == 401
        assert fetch(f"{forewarn.arm_url}/healthz", trusted=ca)[0] == 200

    while_up(options(tmp_path), story)


def test_the_guard_stands_before_both_faces(tmp_path: Path) -> None:
    def story(forewarn: Forewarn) -> None:
        assert forewarn.arm_url is not None
        for path in ("/healthz", "/metadata/endpoints?api-version=2022-09-01"):
            foreign = {"Host": "evil.example"}
            assert fetch(forewarn.control_url + path, foreign)[0] == 421
            assert (
                fetch(forewarn.arm_url + path, {"Origin": "https://evil.example"}, trusted=ca_file(tmp_path))[0] == 403
            )
            assert fetch(forewarn.arm_url + path, {"Origin": forewarn.arm_url}, trusted=ca_file(tmp_path))[0] == 200

    while_up(options(tmp_path), story)


def test_a_token_the_login_and_the_authority_survive_a_restart(tmp_path: Path) -> None:
    bearer = while_up(options(tmp_path), lambda forewarn: token(forewarn.control_url, login(tmp_path)))
    before = login(tmp_path), ca_file(tmp_path).read_bytes()

    def story(forewarn: Forewarn) -> None:
        assert (login(tmp_path), ca_file(tmp_path).read_bytes()) == before
        assert fetch(forewarn.control_url + CLOCK, bearer)[0] == 200

    while_up(options(tmp_path), story)


def test_a_token_of_the_key_before_holds_after_a_rotation_and_a_restart(tmp_path: Path) -> None:
    bearer = while_up(options(tmp_path), lambda forewarn: token(forewarn.control_url, login(tmp_path)))

    def story(forewarn: Forewarn) -> str:
        until(lambda: len(forewarn.access.keys.public(wall())["keys"]) > 1, "the keys are rotated")
        assert fetch(forewarn.control_url + CLOCK, bearer)[0] == 200
        return forewarn.access.keys.signing.id

    newer = while_up(replace(options(tmp_path), rotate_keys_after=timedelta(0)), story)
    assert newer == while_up(options(tmp_path), lambda forewarn: forewarn.access.keys.signing.id)


def test_another_forewarn_s_token_is_refused(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    bearer = while_up(options(one), lambda forewarn: token(forewarn.control_url, login(one)))
    status, answer = while_up(options(other), lambda forewarn: fetch(forewarn.control_url + CLOCK, bearer))
    assert (status, code(answer)) == (401, "InvalidAuthenticationToken")
    assert login(one).tenant != login(other).tenant
    assert login(one).client_secret != login(other).client_secret


def test_without_a_data_directory_there_is_a_login_for_as_long_as_it_runs() -> None:
    def story(forewarn: Forewarn) -> None:
        assert fetch(forewarn.control_url + CLOCK, token(forewarn.control_url, forewarn.access.local))[0] == 200

    while_up(options(None), story)


def test_https_can_be_left_out(tmp_path: Path) -> None:
    assert while_up(replace(options(tmp_path), arm=None), lambda forewarn: forewarn.arm_url) is None


def test_no_secret_and_no_token_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def story(forewarn: Forewarn) -> str:
        bearer = token(forewarn.control_url, login(tmp_path))
        fetch(forewarn.control_url + CLOCK, bearer)
        fetch(f"{forewarn.control_url}/subscriptions", {"Authorization": "Bearer a.wrong.one"})
        return bearer["Authorization"].removeprefix("Bearer ")

    bearer = while_up(options(tmp_path), story)
    for hidden in (bearer, bearer.rpartition(".")[2], login(tmp_path).client_secret, "a.wrong.one"):
        assert hidden not in caplog.text
