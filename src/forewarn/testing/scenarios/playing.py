"""From a scenario to its report: in a Forewarn of its own, or against one that runs elsewhere."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from forewarn.domain.errors import ForewarnError
from forewarn.remote import Client, Refusal
from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.checking import Names, check_names
from forewarn.testing.scenarios.crew import Crew
from forewarn.testing.scenarios.errors import CannotPlay, ScenarioError
from forewarn.testing.scenarios.model import Scenario
from forewarn.testing.scenarios.parts import seeded
from forewarn.testing.scenarios.player import Player
from forewarn.testing.scenarios.report import Happening, Report
from forewarn.testing.scenarios.writing import to_toml

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""When every scenario begins, by the clock of its own Forewarn: a Monday morning."""


def play(
    scenario: Scenario,
    *,
    against: Client | None = None,
    speed: float | None = None,
    real: Mapping[str, Sequence[str]] | None = None,
    record: Path | None = None,
    tell: Callable[[Happening], None] = lambda happening: None,
    passed: Callable[[timedelta], None] = lambda now: None,
) -> Report:
    """`against`: a running Forewarn, whose fleet becomes the scenario's; None: one that is started for this alone.

    `speed`: fleet seconds in a second; without it, as fast as it can, or as the scenario says where clients are real.
    `real`: machines whose client is no scripted one, with the command to start it, if it is to be started here.
    `record`: a directory for what the scripted clients see. `tell` and `passed`: what happens, and where time is.
    CannotPlay or ScenarioError if it cannot even begin.
    """
    if real and speed is None:
        speed = scenario.speed
    with _forewarn(scenario, against) as forewarn:
        if real or scenario.fleet is None:
            _check(scenario, forewarn, real or {})
        crew, alone = Crew(forewarn, real or {}, record), not real and against is None
        return Player(forewarn, scenario, crew, alone=alone, speed=speed, tell=tell, passed=passed).play()


def with_seed(scenario: Scenario, seed: int) -> Scenario:
    """The same with other ids and another chance."""
    faults = (replace(fault, how={**fault.how, "seed": seed}) for fault in scenario.faults)
    return replace(scenario, seed=seed, faults=tuple(seeded(fault, seed) for fault in faults))


def seeded_ids(seed: int) -> Callable[[], str]:
    """GUIDs, the same ones for the same seed."""
    rng = Random(seed)  # noqa: S311  chance is what is to be repeated
    return lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4)).upper()


@contextmanager
def _forewarn(scenario: Scenario, against: Client | None) -> Iterator[Forewarn]:
    if against is not None:
        with _borrowed(scenario, against) as forewarn:
            yield forewarn
        return
    if scenario.fleet is None:
        raise CannotPlay(f"{scenario.name} has no fleet of its own: play it against a server that has one.")
    try:
        started = Forewarn.start(start=START, mint=seeded_ids(scenario.seed), fleet=to_toml(scenario.fleet))
    except (ForewarnError, OSError) as error:
        raise CannotPlay(f"No Forewarn could be started for {scenario.name}: {error}") from None
    with started as forewarn:
        yield forewarn


@contextmanager
def _borrowed(scenario: Scenario, client: Client) -> Iterator[Forewarn]:
    """A running server: its clock stands while the scenario plays, and goes on as before afterwards."""
    try:
        rate = client.get("/clock")["rate"]
        client.post("/clock/rate", {"rate": 0})
        if scenario.fleet is not None:
            client.put("/fleet", {"declaration": ""})  # whoever was there leaves, so that all of it is new
            client.put("/fleet", {"declaration": to_toml(scenario.fleet)})
        forewarn = Forewarn(client)
    except Refusal as refusal:
        raise CannotPlay(f"{client.server}: {refusal}") from None
    try:
        yield forewarn
    finally:
        forewarn.clear_faults()
        client.post("/clock/rate", {"rate": rate})


def _check(scenario: Scenario, forewarn: Forewarn, real: Mapping[str, Sequence[str]]) -> None:
    machines = [(machine["scope"], machine["name"]) for machine in forewarn.client.pages("/machines")]
    names = Names(machines, [(scope["id"], scope["scale_set"]) for scope in forewarn.client.pages("/scopes")])
    check_names(scenario, None, names)
    for name in real:
        if name not in names.machines:
            raise ScenarioError(f'there is no machine "{name}" in the fleet of {scenario.name}{names.hint(name)}')
