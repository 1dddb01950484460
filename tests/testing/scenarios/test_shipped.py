"""The scenarios that are shipped: each holds, and is the same story each time."""

import json
import re

import pytest

from forewarn.testing.scenarios import names, parse, play, shipped, text_of, with_seed
from forewarn.testing.scenarios.model import Scenario

WANTED = {
    "live-migration",
    "host-maintenance",
    "user-reboot",
    "user-redeploy",
    "degraded-hardware",
    "sudden-failure",
    "spot-eviction",
    "scale-in-approve-all",
    "cancelled-maintenance",
    "rollout",
    "two-minute-first-call",
    "day-of-silence",
}


SHORT = """
seed = 7
[fleet.scale_set.workers]
instances = 3
terminate_notification = "5m"
[[client]]
machine = "workers_0"
every = "10s"
approves = "all"
[[fault]]
at = "10s"
kind = "status"
machine = "workers_0"
probability = 0.5
[[at]]
at = "10s"
do = "delete"
machines = ["workers_1", "workers_2"]
"""
"""Everything that could differ: ids, chance, two pending deletes that wait for each other, machines that go."""


def history(scenario: Scenario, speed: float | None = None) -> bytes:
    """As the API exports it, digests and all."""
    report = play(scenario, speed=speed)
    assert report.held, [*report.failures, report.trouble]
    return json.dumps(report.history).encode()


def test_all_that_was_promised_is_shipped() -> None:
    assert set(names()) == WANTED


@pytest.mark.parametrize("name", names())
def test_a_shipped_scenario_holds_and_gives_the_same_history_every_time(name: str) -> None:
    scenario = shipped(name)
    assert len({history(scenario) for _ in range(2)}) == 1


def test_the_same_seed_gives_the_same_history_byte_for_byte_a_hundred_times() -> None:
    scenario = parse(SHORT, "short.toml")
    (story,) = {history(scenario) for _ in range(100)}
    assert [entry["what"] for entry in json.loads(story)].count("completed") == 2


def test_a_pace_changes_nothing_in_the_history() -> None:
    scenario = parse(SHORT, "short.toml")
    assert history(scenario, speed=300) == history(scenario)


def test_another_seed_gives_other_ids() -> None:
    scenario = shipped("sudden-failure")
    assert history(with_seed(scenario, 1)) != history(scenario)


@pytest.mark.parametrize("name", names())
def test_a_shipped_scenario_says_what_it_is_about_and_on_what_grounds(name: str) -> None:
    scenario = shipped(name)
    assert re.search(r"Spec: scheduled-events \d", scenario.about)
    assert len(scenario.expectations) >= 4
    assert "\t" not in text_of(name)
