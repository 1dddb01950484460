"""How the `kubernetes` step reaches the server, as whom, and what it says if it may not."""

from pathlib import Path

import pytest

from forewarn.agent.errors import StepFailed
from forewarn.agent.steps import kube_api
from forewarn.agent.steps.kubernetes import Node
from tests.kubernetes.cluster import RBAC
from tests.kubernetes.flaky import losing
from tests.kubernetes.stepping import Play, managed

pytestmark = pytest.mark.kubernetes


@pytest.mark.parametrize("right", ["get nodes", "patch nodes", "list pods", "create pods/eviction"])
def test_a_right_that_is_missing_is_named(right: str, play: Play) -> None:
    verb, resource = right.split()
    role = play.stage.api.get(f"{RBAC}/clusterroles/forewarn-agent")
    rules = [rule for rule in role["rules"] if rule["resources"] != [resource] or len(rule["verbs"]) > 1]
    rules = [
        {**rule, "verbs": [one for one in rule["verbs"] if f"{one} {rule['resources'][0]}" != right]} for rule in rules
    ]
    name = f"{play.stage.namespace}-without"
    play.stage.api.create(f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": rules})
    play.token_file.write_text(play.cluster.service_account(play.stage.namespace, "weak", name))
    play.stage.pod("web", **managed())
    with pytest.raises(StepFailed, match=f'does not let the agent {right}: .*cannot {verb} resource "{resource}"'):
        play.step().prepare(play.turn())


def test_a_token_that_nobody_gave_out_is_told_but_not_shown(play: Play) -> None:
    play.token_file.write_text("made-up")
    with pytest.raises(StepFailed, match="does not accept the token in") as failure:
        play.step().prepare(play.turn())
    assert "made-up" not in str(failure.value)


def test_a_server_of_another_authority_is_not_trusted(play: Play) -> None:
    with pytest.raises(StepFailed, match="'ca_file'"):
        play.step(ca_file=play.cluster.admin_certificate).prepare(play.turn())


def test_a_client_certificate_will_do(play: Play) -> None:
    step = play.step(token_file=None, client_cert=play.cluster.admin_certificate)
    step.prepare(play.turn())
    assert play.is_cordoned


def test_in_a_pod_nothing_need_be_told(play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    host, port = play.cluster.url.removeprefix("https://").split(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    monkeypatch.setenv("NODE_NAME", play.stage.node)
    monkeypatch.setattr(kube_api, "ACCOUNT", tmp_path)
    (tmp_path / "ca.crt").write_bytes(play.cluster.ca_file.read_bytes())
    Node().prepare(play.turn())
    assert play.is_cordoned


def test_connections_that_break_are_made_anew(play: Play) -> None:
    play.stage.pod("web", **managed())
    with losing(2, play.cluster.url) as way, play.stage.kubelet():
        play.step(server=way).prepare(play.turn())
    assert play.pods == []
