"""Keys rotate, survive restarts, and go only when nobody needs them."""

import stat
from datetime import timedelta
from pathlib import Path

import pytest

from forewarn.access.keys import LIFETIME, MARGIN, KeyRing, open_keys
from forewarn.domain.errors import Invalid
from forewarn.testing.builders import NOON
from tests.access.making import a_key

DAY = timedelta(days=1)
MONTH = timedelta(days=30)
JUST = timedelta(seconds=1)


def test_the_first_start_makes_a_key_and_the_second_finds_it(tmp_path: Path) -> None:
    first = open_keys(tmp_path / "keys.json", NOON)
    assert open_keys(tmp_path / "keys.json", NOON + DAY).signing.id == first.signing.id
    assert stat.S_IMODE((tmp_path / "keys.json").stat().st_mode) == 0o600


def test_after_a_rotation_both_keys_verify_until_the_old_one_s_last_token_has_expired(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    ring = KeyRing([a_key()], path)
    ring.rotate(NOON + DAY)
    for known in (ring, open_keys(path, NOON + DAY)):
        assert known.signing.id != a_key().id
        over = NOON + DAY + LIFETIME + MARGIN
        assert known.find(a_key().id, over - JUST) is not None
        assert known.find(a_key().id, over) is None
        assert known.find(known.signing.id, over) is not None
        assert len(known.public(over - JUST)["keys"]) == 2
        assert [key["kid"] for key in known.public(over)["keys"]] == [known.signing.id]


def test_a_key_signs_for_a_month_and_its_follower_takes_over_by_itself() -> None:
    ring = KeyRing([a_key()])
    ring.tend(NOON + MONTH - JUST, MONTH)
    assert ring.signing.id == a_key().id
    ring.tend(NOON + MONTH, MONTH)
    assert ring.signing.id != a_key().id


def test_a_key_that_is_over_is_forgotten(tmp_path: Path) -> None:
    ring = KeyRing([a_key()], tmp_path / "keys.json")
    ring.rotate(NOON)
    ring.tend(NOON + LIFETIME, MONTH)
    assert ring.find(a_key().id, NOON) is not None
    ring.tend(NOON + LIFETIME + MARGIN, MONTH)
    assert ring.find(a_key().id, NOON) is None
    assert a_key().id not in {key["kid"] for key in open_keys(tmp_path / "keys.json", NOON).public(NOON)["keys"]}


def test_what_is_published_holds_no_private_part() -> None:
    (key,) = KeyRing([a_key()]).public(NOON)["keys"]
    assert set(key) == {"kty", "n", "e", "kid", "use", "alg"}


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"[{}]", b'[{"created":"2026-01-01T00:00:00Z","key":{"kty":"RSA"}}]']
)
def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "keys.json").write_bytes(content)
    with pytest.raises(Invalid, match=r"keys\.json .*Delete it"):
        open_keys(tmp_path / "keys.json", NOON)
