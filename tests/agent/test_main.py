"""The command line: every verb, its exit status, and what it says when something is wrong."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from forewarn.agent.config import Settings
from forewarn.agent.deciding import choose
from forewarn.agent.errors import AgentError
from forewarn.agent.journal import Journal
from forewarn.agent.main import FLAGS, build_parser
from forewarn.agent.records import Progress
from forewarn.agent.tables import table
from tests.agent.building import a_record, a_spec, an_event
from tests.agent.e2e.fleet import Rig
from tests.agent.process import agent_cli, an_agent
from tests.waiting import until

ASK = '[steps.note]\nuse = "log"\n[[rules]]\nsteps = ["note"]\napprove = "ask"\n'


def test_every_setting_has_a_flag() -> None:
    assert list(FLAGS) == [field.name for field in fields(Settings)]


@pytest.mark.parametrize("verb", ["run", "check", "status", "approve"])
def test_every_verb_and_option_has_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args([verb, "--help"])
    assert ended.value.code == 0
    assert f"usage: forewarn agent {verb}" in capsys.readouterr().out


def test_a_person_sees_what_is_asked_and_answers(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, ASK, endpoint=fleet.forewarn.machines["ada"]) as agent:
        until(lambda: agent.status()["incarnation"] is not None, "it has a document")
        calm = agent.cli("status")
        assert (calm.returncode, calm.stdout) == (0, "The agent of ada runs: nothing is coming.\n")
        nothing = agent.cli("approve")
        assert (nothing.returncode, "No event waits for an answer." in nothing.stderr) == (1, True)

        (made,) = fleet.control.post("/events", {"type": "Redeploy", "machines": ["ada"]})["events"]
        until(lambda: agent.sees("ready"), "it is ready")
        shown = agent.cli("status")
        header, row = shown.stdout.splitlines()[1:]
        assert header.split() == ["EVENT", "TYPE", "STARTS", "IN", "STAGE", "STEP", "READY", "APPROVED", "WAITS", "FOR"]
        assert row.split()[:2] == [made["id"][:8], "Redeploy"]
        assert "waits for a person: forewarn agent approve" in row
        assert json.loads(agent.cli("status", "--json").stdout)["events"][0]["asked"] is None

        declined = agent.cli("approve", "--no")
        assert (declined.returncode, "is not approved" in declined.stdout) == (0, True)
        assert fleet.phase(made["id"]) == "Scheduled"
        taken = agent.cli("approve", made["id"][:8].lower())
        assert (taken.returncode, taken.stdout) == (0, f"Redeploy {made['id']}: approving.\n")
        until(lambda: fleet.phase(made["id"]) == "Started", "it is approved")


def test_an_event_of_another_machine_is_shown_as_left_alone(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, ASK, "--name", "stranger", endpoint=fleet.forewarn.machines["bob"]) as agent:
        until(lambda: agent.status()["incarnation"] is not None, "it has a document")
        (made,) = fleet.control.post("/events", {"type": "Reboot", "machines": ["bob"]})["events"]
        until(lambda: agent.status()["left_alone"], "it is seen")
        assert f"Left alone: Reboot {made['id']} of bob" in agent.cli("status").stdout
        until(lambda: "left alone: it is about bob" in agent.said(), "the log says why")


def test_without_an_agent_the_journal_tells_and_the_status_says_so(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")
    journal.begin(a_record(an_event(), [a_spec("pool"), a_spec("work")]))
    journal.step("E1", 0, Progress.PREPARED)
    journal.step("E1", 1, Progress.PREPARING, again=True)
    journal.close()
    shown = agent_cli("status", "--state", str(tmp_path))
    assert shown.returncode == 3
    assert shown.stdout.startswith("The agent does not run. By its journal: 1 event under way.")
    assert "2/2 work" in shown.stdout
    assert json.loads(agent_cli("status", "--json", "--state", str(tmp_path)).stdout)["running"] is False


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        pytest.param(["status", "--state", "{tmp}/nix"], 3, "start it, or say where it is", id="no-agent-to-show"),
        pytest.param(["approve", "--state", "{tmp}/nix"], 3, "start it, or say where it is", id="no-agent-to-answer"),
        pytest.param(["check", "{tmp}/nix.toml"], 1, "No such file", id="no-file-to-check"),
        pytest.param(["run", "--config", "{tmp}/nix.toml"], 1, "No such file", id="no-file-to-run"),
        pytest.param(["check", "{tmp}/bad.toml"], 1, "there is no option 'nonsense'", id="a-wrong-file"),
        pytest.param(["check", "{tmp}/ok.toml", "--poll", "0s"], 1, "'poll' is at least 1s", id="a-wrong-flag"),
        pytest.param(["check", "{tmp}/ok.toml", "--strict"], 1, "is used by no rule", id="warnings-if-strict"),
        pytest.param(["check", "{tmp}/ok.toml"], 0, "is used by no rule", id="warnings"),
        pytest.param(["nonsense"], 2, "invalid choice", id="no-such-verb"),
        pytest.param(["run", "--nonsense"], 2, "unrecognized arguments", id="no-such-option"),
    ],
)
def test_the_exit_status_is_the_answer(tmp_path: Path, words: list[str], status: int, says: str) -> None:
    (tmp_path / "bad.toml").write_text("[agent]\nnonsense = 1\n")
    (tmp_path / "ok.toml").write_text('[steps.note]\nuse = "log"\n[[rules]]\n')
    done = agent_cli(*[word.format(tmp=tmp_path) for word in words])
    assert (done.returncode, says in done.stderr) == (status, True), done
    assert "Traceback" not in done.stderr


def test_flags_win_over_variables_and_those_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text('[agent]\napprove = "never"\n[[rules]]\n')
    words = ("check", str(tmp_path / "agent.toml"))
    assert "approved by nobody" in agent_cli(*words).stdout
    assert "approved by a person" in agent_cli(*words, FOREWARN_AGENT_APPROVE="ask").stdout
    assert "approved by this machine" in agent_cli(*words, "--approve", "own", FOREWARN_AGENT_APPROVE="ask").stdout


def test_the_file_may_be_named_by_a_variable(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text("[[rules]]\nname = 'everything'\n")
    done = agent_cli("check", FOREWARN_AGENT_CONFIG=str(tmp_path / "agent.toml"))
    assert "by everything, nothing is prepared" in done.stdout


def test_a_second_agent_on_the_same_state_is_refused(tmp_path: Path) -> None:
    with an_agent(tmp_path, ASK, "--name", "x") as agent:
        words = ["run", "--config", str(tmp_path / "agent.toml"), "--state", str(agent.state), "--listen", ""]
        second = agent_cli(*words)
        assert (second.returncode, "Another agent is running" in second.stderr) == (1, True)
        assert agent.stop() == 0


def test_the_verb_of_the_big_command_imports_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text("[[rules]]\n")
    program = (
        "import sys; from forewarn.cli import main; status = main(['agent', 'check', sys.argv[1]]);"
        "heavy = {'rich', 'msgspec', 'uvicorn', 'starlette', 'cryptography', 'asyncio', 'forewarn.domain'};"
        "print(status, sorted(heavy & set(sys.modules)))"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "agent.toml")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_an_idle_agent_stays_below_thirty_megabytes(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, ASK, endpoint=fleet.forewarn.machines["cat"]) as agent:
        until(lambda: agent.get("/healthz")[0] == 200, "it is well")
        resident = next(line for line in agent.get("/metrics")[1].splitlines() if line.startswith("process_resident"))
        assert int(resident.split()[1]) < 30_000_000


def test_of_several_events_one_must_be_named() -> None:
    told = [{"event": f"AAAA-{number}", "approval": "ask", "asked": None, "started": False} for number in range(2)]
    for word, says in (("", "Several events wait"), ("aaaa", "Several events begin"), ("aa", "too short")):
        with pytest.raises(AgentError, match=says):
            choose(told, word)
    assert choose(told, "aaaa-1") is told[1]


def test_a_table_folds_its_last_column_between_words_and_shows_no_control_characters() -> None:
    drawn = table(("A", "LAST"), [("one", "a b c d e f g h i j k l m n"), ("t\x1bwo", "x")], width=25)
    assert drawn.splitlines() == [
        "A     LAST",
        "one   a b c d e f g h i j",
        "      k l m n",
        "t\N{REPLACEMENT CHARACTER}wo  x",
    ]
