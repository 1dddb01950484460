"""A token is believed if Forewarn signed it for this server, and no longer than it holds."""

import base64
import hmac
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jwt

from forewarn.access.keys import ALGORITHM, LIFETIME, KeyRing, new_key
from forewarn.access.tokens import AUDIENCES, Caller, Tokens, Unverified
from forewarn.testing.builders import NOON
from tests.access.making import TENANT, a_key

JUST = timedelta(seconds=1)
RESOURCE = "https://management.core.windows.net/"
TOKENS = Tokens(KeyRing([a_key()]), TENANT)
CLAIMS = {"aud": RESOURCE, "sub": "x", "oid": "x", "name": "x", "tid": TENANT, "nbf": 0, "exp": 9_999_999_999}


def issued(tokens: Tokens = TOKENS, audience: str = RESOURCE) -> str:
    return tokens.issue("anna", name="Anna", audience=audience, issuer="https://i", now=NOON).token


def why(token: str, now: datetime = NOON, tokens: Tokens = TOKENS) -> str:
    with pytest.raises(Unverified) as refused:
        tokens.verify(token, now)
    return refused.value.code


def part(token: str, number: int) -> dict[str, Any]:
    text = token.split(".")[number]
    decoded: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return decoded


def written(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_token_tells_what_azure_s_tells() -> None:
    token = issued()
    assert part(token, 0) == {"typ": "JWT", "alg": "RS256", "kid": a_key().id}
    moment = int(NOON.timestamp())
    assert part(token, 1) == {
        "aud": RESOURCE,
        "iss": "https://i",
        "iat": moment,
        "nbf": moment,
        "exp": moment + 86400,
        "appid": "anna",
        "idtyp": "app",
        "name": "Anna",
        "oid": TOKENS.object_id("anna"),
        "sub": "anna",
        "tid": TENANT,
        "ver": "1.0",
    }


def test_it_proves_who_asks() -> None:
    assert TOKENS.verify(issued(), NOON) == Caller(
        principal="anna", name="Anna", object_id=TOKENS.object_id("anna"), expires=NOON + LIFETIME
    )


def test_it_holds_a_day_to_the_second() -> None:
    assert TOKENS.verify(issued(), NOON + LIFETIME - JUST)
    assert why(issued(), NOON + LIFETIME) == "ExpiredAuthenticationToken"


def test_an_expired_one_is_told_in_azure_s_words() -> None:
    with pytest.raises(Unverified, match=r"expiry UTC time '\d+/\d+/2030 12:00:00 PM' is earlier than current"):
        TOKENS.verify(issued(), NOON + LIFETIME)


def test_a_clock_that_goes_back_a_little_locks_nobody_out() -> None:
    assert TOKENS.verify(issued(), NOON - timedelta(minutes=5))
    assert why(issued(), NOON - timedelta(minutes=5) - JUST) == "InvalidAuthenticationToken"


@pytest.mark.parametrize("audience", sorted(AUDIENCES))
def test_every_name_of_the_control_plane_is_an_audience(audience: str) -> None:
    assert TOKENS.verify(issued(audience=audience), NOON)


def test_the_server_s_own_address_is_one_too_and_nothing_else() -> None:
    own = issued(audience="https://localhost:8443")
    assert TOKENS.verify(own, NOON, ["https://localhost:8443"])
    assert why(own) == "InvalidAuthenticationTokenAudience"
    assert why(issued(audience="https://vault.azure.net")) == "InvalidAuthenticationTokenAudience"


def test_a_token_outlives_its_key_s_rotation() -> None:
    ring = KeyRing([a_key()])
    tokens = Tokens(ring, TENANT)
    before = issued(tokens)
    ring.rotate(NOON)
    assert tokens.verify(before, NOON + LIFETIME - JUST)
    assert part(issued(tokens), 0)["kid"] != a_key().id


def test_one_that_was_believed_before_is_looked_at_again() -> None:
    ring = KeyRing([a_key()])
    tokens, own = Tokens(ring, TENANT), "https://localhost:8443"
    token = issued(tokens, audience=own)
    assert tokens.verify(token, NOON, [own]) == tokens.verify(token, NOON, [own])
    assert why(token, NOON, tokens) == "InvalidAuthenticationTokenAudience"
    assert why(token, NOON + LIFETIME, tokens) == "ExpiredAuthenticationToken"
    ring.rotate(NOON - 2 * LIFETIME)
    assert why(token, NOON, tokens) == "InvalidAuthenticationToken"


def test_many_are_believed_though_few_are_remembered() -> None:
    tokens = Tokens(KeyRing([a_key()]), TENANT, most=2)
    known = {
        who: tokens.issue(who, name=who, audience=RESOURCE, issuer="https://i", now=NOON).token for who in "abcdeabcde"
    }
    assert all(tokens.verify(token, NOON).principal == who for who, token in known.items())


def test_another_forewarn_s_token_is_refused() -> None:
    assert why(issued(Tokens(KeyRing([new_key(NOON)]), TENANT))) == "InvalidAuthenticationToken"
    elsewhere = Tokens(KeyRing([a_key()]), "33333333-3333-4333-8333-333333333333")
    assert why(issued(elsewhere)) == "InvalidAuthenticationToken"


def signed_with(secret: bytes) -> str:
    """What a verifier believes that lets the token choose how it is verified."""
    said = f"{written({'alg': 'HS256', 'kid': a_key().id})}.{written(CLAIMS)}"
    signature = hmac.digest(secret, said.encode(), "sha256")
    return f"{said}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


FORGED = {
    "unsigned": f"{written({'alg': 'none', 'kid': a_key().id})}.{written(CLAIMS)}.",
    "signed-with-the-public-key-as-a-secret": signed_with(a_key().key.as_pem(private=False)),
    "signed-by-a-stranger": jwt.encode({"alg": ALGORITHM, "kid": a_key().id}, CLAIMS, new_key(NOON).key),
    "with-a-key-of-its-own": jwt.encode(
        {"alg": ALGORITHM, "jwk": new_key(NOON).key.as_dict(private=False)}, CLAIMS, new_key(NOON).key
    ),
    "without-a-key-id": jwt.encode({"alg": ALGORITHM}, CLAIMS, a_key().key),
    "without-claims": jwt.encode({"alg": ALGORITHM, "kid": a_key().id}, {}, a_key().key),
    "empty": "",
    "two-parts": "a.b",
    "no-header": f".{written(CLAIMS)}.x",
    "nested-too-deeply": f"{base64.urlsafe_b64encode(b'[' * 9000).decode()}.x.y",
    "not-ascii": "é.é.é",
}


@pytest.mark.parametrize("token", FORGED.values(), ids=FORGED.keys())
def test_a_forged_token_is_refused(token: str) -> None:
    assert why(token) == "InvalidAuthenticationToken"


def test_a_token_with_one_letter_changed_is_refused() -> None:
    token = issued()
    for place in range(0, len(token), 37):
        other = "A" if token[place] != "A" else "B"
        assert why(token[:place] + other + token[place + 1 :]) == "InvalidAuthenticationToken"


@given(
    st.text(max_size=200)
    | st.lists(st.binary(max_size=60), max_size=4).map(lambda p: ".".join(map(written, map(repr, p))))
)
def test_whatever_comes_is_refused_in_words(token: str) -> None:
    assert why(token) == "InvalidAuthenticationToken"
