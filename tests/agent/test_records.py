"""The stages of an event are a table, and every cell of it is walked."""

from pathlib import Path

import pytest

from forewarn.agent.records import STAGES, Happened, Stage, moved

DOCS = Path(__file__).parents[2] / "docs" / "explanation" / "architecture.md"


@pytest.mark.parametrize("stage", list(Stage))
@pytest.mark.parametrize("fact", list(Happened))
def test_every_fact_at_every_stage_leads_where_the_table_says_or_nowhere(stage: Stage, fact: Happened) -> None:
    assert moved(stage, fact) is STAGES[stage].get(fact, stage)


def test_nothing_becomes_ready_but_by_having_been_prepared() -> None:
    ways = [(stage, fact) for stage, row in STAGES.items() for fact, after in row.items() if after is Stage.READY]
    assert ways == [(Stage.PREPARING, Happened.PREPARED), (Stage.READY, Happened.STARTED)]


def test_every_stage_but_the_last_ends_in_restoring_once_the_event_is_gone() -> None:
    assert {moved(stage, Happened.GONE) for stage in Stage if stage is not Stage.OVER} == {Stage.RESTORING}
    assert STAGES[Stage.OVER] == {}


def test_the_table_of_the_docs_is_this_one() -> None:
    lines = DOCS.read_text().partition("| stage | prepared |")[2].splitlines()[2 : 2 + len(Stage)]
    shown = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    assert shown == [[stage.value, *(_cell(stage, fact) for fact in Happened)] for stage in Stage]


def _cell(stage: Stage, fact: Happened) -> str:
    after = STAGES[stage].get(fact)
    return after.value if after else "–"
