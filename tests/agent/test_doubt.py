"""An old copy of a document does not end what has not ended; a count that has begun anew is believed after a while."""

from forewarn.agent.doubt import SECONDS, Doubt


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def seen(*incarnations: int) -> tuple[Doubt, Clock]:
    clock = Clock()
    doubt = Doubt(clock)
    for incarnation in incarnations:
        doubt.see(incarnation)
    return doubt, clock


def test_nothing_is_doubted_while_the_count_goes_up_or_is_not_told() -> None:
    for counts in ([], [5], [5, 5], [5, 6, 9], [5, -1], [-1, 0]):
        assert not seen(*counts)[0].holds


def test_a_count_that_went_down_is_doubted_until_it_is_back() -> None:
    doubt, _ = seen(5, 4)
    assert doubt.holds
    doubt.see(5)
    assert not doubt.holds


def test_a_count_that_stays_down_is_believed_after_a_while_and_goes_up_from_there() -> None:
    doubt, clock = seen(50, 1)
    clock.now += SECONDS / 2
    doubt.see(2)
    assert doubt.holds, "it began to count anew, and counts on"
    clock.now += SECONDS / 2
    assert not doubt.holds
    doubt.see(3)
    assert not doubt.holds
    doubt.see(2)
    assert doubt.holds
