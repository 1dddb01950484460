"""Links that work once, and the cookies they are worth."""

import asyncio
from datetime import datetime, timedelta

import pytest

from forewarn.access.ending import MOST, load_ended
from forewarn.access.entrance import DOOR, LINK_LIFE, MOST_LINKS, PURPOSE, Entrance, csrf_of
from forewarn.access.keys import LIFETIME, MARGIN
from forewarn.access.service import Access
from forewarn.access.tokens import Unverified
from forewarn.domain.events import Actor
from forewarn.engine.ports import Store
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from tests.access.making import LOCAL, an_access, bearer

JUST = timedelta(seconds=1)


class House:
    """One entrance, and a clock on the wall that the test sets."""

    def __init__(self, store: Store | None = None) -> None:
        self.now: datetime = NOON
        self.store = store or MemoryStore()
        self.access: Access = an_access(self.store, lambda: self.now)
        words = iter(range(1_000_000))
        self.entrance = Entrance(self.access, wall=lambda: self.now, new_secret=lambda: f"word-{next(words)}")

    def cookie(self, who: str = "anna") -> str:
        cookie = self.entrance.enter(self.entrance.link(who, who))
        assert cookie is not None
        return cookie


def test_a_word_is_worth_a_cookie_once() -> None:
    house = House()
    word = house.entrance.link("anna", "Anna")
    cookie = house.entrance.enter(word)
    assert cookie is not None
    caller = house.entrance.visitor(cookie)
    assert caller is not None
    assert (caller.principal, caller.name) == ("anna", "Anna")
    assert house.entrance.enter(word) is None


def test_a_link_says_its_word_at_the_door() -> None:
    house = House()
    assert house.entrance.place("anna", "anna") == f"{DOOR}?word=word-0"
    assert house.entrance.enter("word-0") is not None


@pytest.mark.parametrize("word", ["", "word-1", "word-0 ", "WORD-0", "ä"], ids=repr)
def test_another_word_is_worth_nothing(word: str) -> None:
    house = House()
    house.entrance.link("anna", "anna")
    assert house.entrance.enter(word) is None


def test_a_link_lives_fifteen_minutes() -> None:
    house = House()
    soon, late = house.entrance.link("anna", "anna"), house.entrance.link("anna", "anna")
    house.now = NOON + LINK_LIFE - JUST
    assert house.entrance.enter(soon) is not None
    house.now = NOON + LINK_LIFE
    assert house.entrance.enter(late) is None


def test_who_asks_for_many_links_loses_only_their_own() -> None:
    house = House()
    hers = house.entrance.link("anna", "anna")
    his = [house.entrance.link("ben", "ben") for _ in range(MOST_LINKS + 1)]
    assert house.entrance.enter(his[0]) is None
    assert all(house.entrance.enter(word) for word in (hers, *his[1:]))


def test_a_cookie_ends_with_its_token() -> None:
    house = House()
    cookie = house.cookie()
    house.now = NOON + LIFETIME - JUST
    assert house.entrance.visitor(cookie) is not None
    house.now = NOON + LIFETIME
    assert house.entrance.visitor(cookie) is None


def test_a_cookie_outlives_a_new_key_but_not_the_end_of_its_own() -> None:
    house = House()
    cookie = house.cookie()
    asyncio.run(house.access.rotate_keys(Actor.user("anna")))
    assert house.entrance.visitor(cookie) is not None
    assert house.entrance.visitor(house.cookie()) is not None
    house.now = NOON + LIFETIME + MARGIN
    assert house.entrance.visitor(cookie) is None


def test_a_cookie_of_another_house_is_none() -> None:
    house, other = House(), House()
    asyncio.run(other.access.rotate_keys(Actor.user("anna")))  # until then they share the tests' key
    assert house.entrance.visitor(other.cookie()) is None


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda cookie: cookie[:-4] + "AAAA", id="another-signature"),
        pytest.param(lambda cookie: cookie.replace(".", ".e", 1), id="another-content"),
        pytest.param(lambda cookie: cookie.rpartition(".")[0] + ".", id="no-signature"),
        pytest.param(lambda cookie: cookie + "=", id="longer"),
        pytest.param(lambda cookie: "x" * 5000, id="no-token"),
        pytest.param(lambda cookie: "", id="empty"),
        pytest.param(lambda cookie: "ä.ö.ü", id="not-ascii"),
    ],
)
def test_a_cookie_that_was_tampered_with_is_none(spoil) -> None:  # type: ignore[no-untyped-def]
    house = House()
    assert house.entrance.visitor(spoil(house.cookie())) is None


def test_a_cookie_is_no_token_for_the_api() -> None:
    house = House()
    with pytest.raises(Unverified):
        house.access.caller(house.cookie(), ("http://localhost", PURPOSE + "/"))


@pytest.mark.parametrize("audience", ["https://management.azure.com/", PURPOSE])
def test_a_token_for_the_api_is_no_cookie_whatever_it_was_asked_for(audience: str) -> None:
    house = House()
    token = bearer(house.access, "local", audience)["Authorization"].removeprefix("Bearer ")
    assert house.entrance.visitor(token) is None


def test_who_has_left_is_out_even_with_a_copy_and_after_a_restart() -> None:
    house = House()
    cookie, other = house.cookie(), house.cookie("ben")
    asyncio.run(house.entrance.leave(cookie))
    assert house.entrance.visitor(cookie) is None
    assert house.entrance.visitor(other) is not None
    again = asyncio.run(load_ended(house.store))
    assert again.has(cookie)
    assert not again.has(other)


def test_what_has_ended_is_forgotten_once_it_would_have_expired() -> None:
    store = MemoryStore()

    async def ended() -> tuple[bool, bool, bool]:
        tokens = await load_ended(store)
        await tokens.add("early", NOON + JUST, NOON)
        await tokens.add("late", NOON + LIFETIME, NOON + JUST)
        before = tokens.has("early"), tokens.has("late")
        for number in range(MOST):
            await tokens.add(str(number), NOON + LIFETIME + JUST, NOON + JUST)
        return *before, tokens.has("late")

    assert asyncio.run(ended()) == (False, True, False)


def test_what_a_form_sends_along_is_each_cookie_s_own() -> None:
    assert csrf_of("one") != csrf_of("two")
    assert "one" not in csrf_of("one")
    assert LOCAL.client_secret not in csrf_of("one")
