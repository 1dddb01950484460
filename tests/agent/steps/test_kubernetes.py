"""What can be said of the `kubernetes` step without a cluster; tests/kubernetes has it at a real one."""

import re
import socket
from dataclasses import fields
from pathlib import Path

import pytest

from forewarn.agent.errors import BadConfig, StepFailed, TimeIsUp
from forewarn.agent.reading import parse_config
from forewarn.agent.steps import build
from forewarn.agent.steps.kube_pods import Pod, objection, read_pod
from forewarn.agent.steps.kubernetes import Node
from tests.agent.turn import ATurn

PAGE = (Path(__file__).parents[3] / "docs/reference/agent-steps/kubernetes.md").read_text()


@pytest.mark.parametrize("example", re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL))
def test_the_examples_of_the_page_are_read(example: str) -> None:
    assert isinstance(build(parse_config(example).steps["drain"]), Node)


def test_the_page_has_every_option() -> None:
    options = PAGE.partition("## Options")[2].partition("## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", options, re.MULTILINE) == [field.name for field in fields(Node)]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param('server = "http://10.0.0.1"\ntoken_file = "t"', "https://", id="a-token-in-plain-sight"),
        pytest.param('server = "10.0.0.1:6443"\ntoken_file = "t"', "https://", id="no-address"),
        pytest.param('server = "https://10.0.0.1:no"\ntoken_file = "t"', "Port", id="no-port"),
        pytest.param('server = "https://10.0.0.1"', "'token_file' or 'client_cert'", id="nobody-asks"),
        pytest.param('client_key = "k"', "'client_cert'", id="a-key-alone"),
        pytest.param('grace = "0s"', "at least 1s", id="no-grace-at-all"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: str, reason: str) -> None:
    with pytest.raises(BadConfig, match=reason):
        parse_config(f'[steps.drain]\nuse = "kubernetes"\n{options}')


def a_pod(**facts: object) -> Pod:
    return Pod(**{"namespace": "ns", "name": "pod", "uid": "1", "controller": "ReplicaSet", **facts})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pod", "option"),
    [
        pytest.param(a_pod(), "", id="any-pod"),
        pytest.param(a_pod(controller=""), "force", id="without-a-controller"),
        pytest.param(a_pod(has_emptydir=True), "delete_emptydir", id="with-an-emptydir"),
        pytest.param(a_pod(controller="", has_emptydir=True, is_going=True), "", id="going-already"),
    ],
)
def test_a_pod_that_would_be_harmed_is_objected_to_unless_told(pod: Pod, option: str) -> None:
    assert option in objection(pod, force=False, delete_emptydir=False)
    assert bool(objection(pod, force=False, delete_emptydir=False)) == bool(option)
    assert not objection(pod, force=True, delete_emptydir=True)


@pytest.mark.parametrize(
    ("toleration", "comes_back"),
    [
        pytest.param({"operator": "Exists"}, True, id="of-everything"),
        pytest.param({"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}, True, id="of-the-cordon"),
        pytest.param({"operator": "Exists", "effect": "NoExecute"}, False, id="of-another-effect"),
        pytest.param({"key": "gpu", "operator": "Exists"}, False, id="of-something-else"),
    ],
)
def test_a_pod_that_tolerates_the_cordon_is_known(toleration: dict[str, str], comes_back: bool) -> None:
    item = {"metadata": {"namespace": "ns", "name": "pod", "uid": "1"}, "spec": {"tolerations": [toleration]}}
    assert read_pod(item).tolerates_cordon is comes_back


def test_a_server_that_is_not_there_is_told_at_the_limit(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and never listens
        server = f"https://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(TimeIsUp, match=f"{server} cannot be reached: .*refused"):
            Node(server=server, token_file=token).prepare(ATurn(spool=tmp_path, limit=0.5))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(None, "No such file", id="not-there"),
        pytest.param(b"two secrets", "one token", id="more-than-one"),
        pytest.param(b"secret\x00", "one token", id="unprintable"),
        pytest.param("sécret".encode(), "not a token", id="not-ascii"),
        pytest.param(b"\n", "one token", id="empty"),
    ],
)
def test_a_token_file_that_holds_no_token_is_told_and_not_shown(
    content: bytes | None, reason: str, tmp_path: Path
) -> None:
    token = tmp_path / "file"
    if content is not None:
        token.write_bytes(content)
    with pytest.raises(StepFailed, match=reason) as failure:
        Node(server="https://127.0.0.1:1", token_file=token).prepare(ATurn(spool=tmp_path))
    assert "cret" not in str(failure.value)


@pytest.mark.parametrize("option", ["ca_file", "client_cert"])
def test_a_certificate_that_is_none_is_told(option: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("nonsense")
    with pytest.raises(StepFailed, match=str(file)):
        Node(server="https://127.0.0.1:1", **{"token_file": file, option: file}).prepare(ATurn(spool=tmp_path))  # type: ignore[arg-type]


def test_outside_a_pod_the_server_must_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(StepFailed, match="set 'server'"):
        Node().prepare(ATurn(spool=tmp_path))


def test_what_it_will_do_is_told() -> None:
    assert Node(node="web-1").told() == (
        "cordon web-1 in Kubernetes and evict its pods",
        "uncordon web-1 if the agent had cordoned it",
    )
