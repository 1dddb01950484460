"""The history is a chain: what was changed, left out or swapped shows."""

from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from forewarn.domain.events import Actor
from forewarn.domain.history import Entry, What, chain, digest, first_break
from tests.domain.world import NOON

ENTRY = Entry(scope="web", at=NOON, who=Actor.user("alice"), what=What.CANCELED, subject="EV")
texts = st.text(alphabet='ab\0|"\\,:', max_size=4)
entries = st.builds(
    Entry,
    scope=st.just("web"),
    at=st.integers(0, 10**9).map(lambda count: NOON + timedelta(microseconds=count)),
    who=st.builds(lambda make, name: make(name), st.sampled_from([Actor.machine, Actor.user, Actor.system]), texts),
    what=st.sampled_from(What),
    subject=texts,
    before=texts,
    after=texts,
    detail=texts,
)


def chained(loose: list[Entry]) -> list[Entry]:
    history: list[Entry] = []
    for entry in loose:
        history.append(chain(entry, history[-1].digest if history else "", len(history) + 1))
    return history


histories = st.lists(entries, min_size=1, max_size=6).map(chained)


@given(histories)
def test_an_untouched_history_has_no_break(history: list[Entry]) -> None:
    assert first_break(history) is None


def test_nor_has_an_empty_one() -> None:
    assert first_break([]) is None


@given(histories, st.data())
def test_a_changed_entry_is_found_where_it_is(history: list[Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(history) - 1))
    other = replace(data.draw(entries), seq=history[at].seq, digest=history[at].digest)
    assume(other != history[at])
    forged = [*history[:at], other, *history[at + 1 :]]
    assert first_break(forged) == other


@given(histories, st.data())
def test_a_changed_entry_with_a_digest_of_its_own_breaks_the_next(history: list[Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(history) - 1))
    other = chain(data.draw(entries), history[at - 1].digest if at else "", at + 1)
    assume(other != history[at])
    forged = [*history[:at], other, *history[at + 1 :]]
    assert first_break(forged) == (history[at + 1] if at + 1 < len(history) else None)


@given(histories, st.data())
def test_a_missing_entry_is_found_by_the_one_after_it(history: list[Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(history) - 1))
    left = [*history[:at], *history[at + 1 :]]
    assert first_break(left) == (history[at + 1] if at + 1 < len(history) else None)


@given(histories, st.data())
def test_two_swapped_entries_are_found(history: list[Entry], data: st.DataObject) -> None:
    assume(len(history) > 1)
    at = data.draw(st.integers(0, len(history) - 2))
    swapped = [*history[:at], history[at + 1], history[at], *history[at + 2 :]]
    assert first_break(swapped) == history[at + 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(replace(ENTRY, subject="a\0b"), replace(ENTRY, subject="a", before="b"), id="subject-before"),
        pytest.param(replace(ENTRY, before="a\0b"), replace(ENTRY, before="a", after="b"), id="before-after"),
        pytest.param(replace(ENTRY, after="a\0b\0c"), replace(ENTRY, after="a", detail="b\0c"), id="after-detail"),
        pytest.param(replace(ENTRY, detail="1:a"), replace(ENTRY, detail="a"), id="what-looks-like-a-frame"),
    ],
)
def test_a_word_cannot_move_from_one_field_to_the_next(one: Entry, other: Entry) -> None:
    assert digest(one, "") != digest(other, "")
