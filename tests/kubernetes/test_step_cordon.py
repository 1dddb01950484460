"""Whose cordon it is: the agent takes off its own, after any crash, and nobody else's."""

from contextlib import suppress
from dataclasses import replace

import pytest

from forewarn.agent.errors import StepFailed
from tests.agent.turn import REBOOT
from tests.kubernetes.stepping import Crash, Play, managed

pytestmark = pytest.mark.kubernetes


def test_a_node_that_was_cordoned_before_stays_cordoned(play: Play) -> None:
    play.cordon()
    play.step().prepare(play.turn())
    assert play.mark is None
    play.step().restore(play.turn())
    assert play.is_cordoned


def test_a_change_of_something_else_at_the_same_moment_does_no_harm(play: Play) -> None:
    play.step().prepare(play.turn(keep=play.label))
    assert play.is_cordoned
    assert play.node()["metadata"]["labels"]["somebody"] == "else"
    play.step().restore(play.turn())
    assert not play.is_cordoned


def test_a_cordon_that_somebody_sets_at_the_same_moment_is_theirs(play: Play) -> None:
    play.step().prepare(play.turn(keep=play.cordon))
    assert play.mark is None
    play.step().restore(play.turn())
    assert play.is_cordoned


def test_a_cordon_that_somebody_has_taken_off_and_set_again_is_theirs(play: Play) -> None:
    play.step().prepare(play.turn())
    play.cordon(False)
    play.cordon()
    play.step().restore(play.turn())
    assert play.is_cordoned
    assert play.mark is None


def test_a_node_that_somebody_has_uncordoned_stays_so(play: Play) -> None:
    play.step().prepare(play.turn())
    play.cordon(False)
    play.step().restore(play.turn())
    assert not play.is_cordoned
    assert play.mark is None


@pytest.mark.parametrize("moment", ["keep", "is cordoned", "have to go", "is drained"])
def test_a_crash_at_any_moment_ends_the_same(moment: str, play: Play) -> None:
    def crash() -> None:
        raise Crash

    play.stage.pod("web", **managed())
    turn = play.turn()
    turn.when[moment] = crash
    with play.stage.kubelet():
        with pytest.raises(Crash):
            play.step().prepare(turn)
        play.step().prepare(play.turn())
    assert play.pods == []
    assert play.is_cordoned
    play.step().restore(play.turn())
    assert not play.is_cordoned


def test_a_crash_while_restoring_ends_the_same(play: Play) -> None:
    def crash() -> None:
        raise Crash

    play.step().prepare(play.turn())
    with suppress(Crash):
        play.step().restore(play.turn(is_uncordoned=crash))
    play.step().restore(play.turn())
    assert not play.is_cordoned


def test_a_cordon_that_another_event_of_the_agent_left_is_taken_over(play: Play) -> None:
    play.step().prepare(play.turn())
    second = replace(play, kept={})
    turn = second.turn()
    turn.event = replace(REBOOT, id="ANOTHER")
    second.step().prepare(turn)
    second.step().restore(second.turn())
    assert not play.is_cordoned


def test_a_node_that_is_gone_needs_no_restore(play: Play) -> None:
    play.step().prepare(play.turn())
    play.stage.api.call("DELETE", play.stage.node_path).expect(200)
    play.step().restore(play.turn())


def test_a_node_that_has_joined_anew_stays_as_it_is(play: Play) -> None:
    play.step().prepare(play.turn())
    play.stage.api.call("DELETE", play.stage.node_path).expect(200)
    again = {"metadata": {"name": play.stage.node}, "spec": {"unschedulable": True}}
    play.stage.api.create("/api/v1/nodes", again)
    play.step().restore(play.turn())
    assert play.is_cordoned


def test_a_node_that_does_not_exist_is_told(play: Play) -> None:
    with pytest.raises(StepFailed, match="no node 'nobody'"):
        play.step(node="nobody").prepare(play.turn())
    play.step(node="nobody").restore(play.turn())
