"""Whether the names in a scenario are names of something: known before anything is played."""

from collections import Counter
from collections.abc import Iterable, Iterator

from forewarn.testing.scenarios.errors import ScenarioError
from forewarn.testing.scenarios.model import CAMPAIGN_STEPS, Do, Scenario, Step, Subject
from forewarn.wire.fleetfile import Declaration

NAMERS = {
    Subject.EVENT: (Do.SCHEDULE, Do.HARDWARE_FAILURE, Do.RESTART, Do.REDEPLOY, Do.DELETE, Do.EVICT),
    Subject.OPERATION: (Do.RESTART, Do.REDEPLOY, Do.DELETE, Do.EVICT),
    Subject.CAMPAIGN: (Do.START_CAMPAIGN,),
}
"""Which steps give a name to what."""

MACHINE_CHECKS = ("resources", "approved_by", "shown_to", "hidden_from", "seen_by")
Mention = tuple[str, str]
"""A name, and FILE:LINE of where it stands."""


def check_names(scenario: Scenario, declared: Declaration | None, names: "Names | None" = None) -> None:
    """ScenarioError if a name is none. Without a declared fleet, `names` are those the server has, if it was asked."""
    _check_given(scenario)
    known = Names.of(declared) if declared is not None else names
    if known is None:
        return
    for name, where in machines_of(scenario):
        if name not in known.machines:
            raise ScenarioError(f'{where}: there is no machine "{name}" in the fleet{known.hint(name)}')
        if known.machines[name] > 1:
            raise ScenarioError(f'{where}: several machines are called "{name}": say which one, SCOPE/{name}')
    for name, where in scopes_of(scenario):
        if name not in known.scopes:
            raise ScenarioError(f'{where}: there is no scope or scale set "{name}" in the fleet')


class Names:
    """Of the machines and scopes of a fleet."""

    def __init__(self, machines: Iterable[tuple[str, str]], scopes: Iterable[tuple[str, str | None]]) -> None:
        """`machines`: scope and name. `scopes`: id and scale set."""
        pairs = list(machines)
        self.machines = Counter([name for _, name in pairs]) | Counter([f"{scope}/{name}" for scope, name in pairs])
        self.scopes = {name for scope in scopes for name in scope if name is not None}

    @classmethod
    def of(cls, declared: Declaration) -> "Names":
        fleet = declared.fleet
        return cls([(m.scope, m.name) for m in fleet.machines], [(s.id, s.scale_set) for s in fleet.scopes])

    def hint(self, name: str) -> str:
        few = [known for known in self.machines if "/" not in known][:10]
        return f"; it has {', '.join(few)}" if few and name else ""


def machines_of(scenario: Scenario) -> Iterator[Mention]:
    for step in scenario.steps:
        yield from ((name, step.where) for name in step.machines)
    for client in scenario.clients:
        yield client.machine, client.where
    for fault in scenario.faults:
        if "machine" in fault.how:
            yield fault.how["machine"], fault.where
    for expected in scenario.expectations:
        if expected.subject in (Subject.MACHINE, Subject.CLIENT, Subject.EVENT_OF):
            yield expected.name, expected.where
        for key in MACHINE_CHECKS:
            yield from ((name, expected.where) for name in expected.wants.get(key, ()))


def scopes_of(scenario: Scenario) -> Iterator[Mention]:
    for step in scenario.steps:
        yield from ((name, step.where) for name in step.scopes)
    for fault in scenario.faults:
        if "scope" in fault.how:
            yield fault.how["scope"], fault.where
    for expected in scenario.expectations:
        if expected.subject is Subject.SCOPE:
            yield expected.name, expected.where


def _check_given(scenario: Scenario) -> None:
    """The names that steps give: each once, and none is used before."""
    given: dict[str, Step] = {}
    for step in scenario.steps:
        if step.target:
            _check_use(step.target, _subject(step), given, step.where)
        if step.name:
            if step.name in given:
                raise ScenarioError(f'{step.where}: as = "{step.name}" is taken: another step has it')
            given[step.name] = step
    for expected in scenario.expectations:
        if expected.subject in NAMERS:
            _check_use(expected.name, expected.subject, given, expected.where)


def _subject(step: Step) -> Subject:
    return Subject.CAMPAIGN if step.do in CAMPAIGN_STEPS else Subject.EVENT


def _check_use(name: str, subject: Subject, given: dict[str, Step], where: str) -> None:
    step = given.get(name)
    if step is None or step.do not in NAMERS[subject]:
        known = [name for name, step in given.items() if step.do in NAMERS[subject]]
        have = f"; there is {', '.join(known)}" if known else ""
        raise ScenarioError(f'{where}: no step before it makes the {subject.value} "{name}" (with as = "{name}"){have}')
