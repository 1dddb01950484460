"""A machine asks for a token of its own identity, as it would inside Azure."""

import json

import pytest

from forewarn.domain.errors import Unavailable
from forewarn.imds import Limits, Rules
from forewarn.wire import answers, identity
from forewarn.wire.answers import Answer
from tests.imds.world import World, get, request, serving

RESOURCE = "https://management.azure.com/"
TOKEN = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fmanagement.azure.com%2F"
OWN_ID = "0A1B-vm1"  # what the world's identities say of vm1


def test_a_token_is_told_in_strings_as_in_azure(world: World) -> None:
    response = world.ask(get(TOKEN))
    assert (response.status, response.fields["content-type"]) == (200, "application/json; charset=utf-8")
    assert json.loads(response.body) == {
        "access_token": f"token of vm1 for {RESOURCE}",
        "client_id": OWN_ID,
        "expires_in": "86400",
        "expires_on": "1627014917",
        "ext_expires_in": "86400",
        "not_before": "1626928517",
        "resource": RESOURCE,
        "token_type": "Bearer",
    }


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(get(TOKEN.replace("%3A%2F%2F", "://").replace("%2F", "/")), id="a resource as it is"),
        pytest.param(get(TOKEN.replace("2018-02-01", "2021-02-01")), id="a later api-version"),
        pytest.param(get(TOKEN.replace("identity", "Identity")), id="another case"),
        pytest.param(get(f"{TOKEN}&client_id={OWN_ID.lower()}"), id="its own client id"),
        pytest.param(get(f"{TOKEN}&object_id={OWN_ID}"), id="its own object id"),
        pytest.param(get(f"{TOKEN}&client_id="), id="an empty client id"),
        pytest.param(get(TOKEN, metadata="True"), id="Metadata: True"),
    ],
)
def test_it_may_be_asked_for_in_other_words(world: World, raw: bytes) -> None:
    assert json.loads(world.ask(raw).body)["access_token"] == f"token of vm1 for {RESOURCE}"


def test_the_identity_may_be_named_by_the_machine_s_own_id_in_arm(world: World) -> None:
    own = json.loads(world.ask(get("/metadata/instance?api-version=2021-02-01")).body)["compute"]["resourceId"]
    assert world.ask(get(f"{TOKEN}&msi_res_id={own.upper()}")).status == 200


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        pytest.param(get(TOKEN, metadata=None), identity.MISSING_HEADER, id="no Metadata"),
        pytest.param(get(TOKEN, metadata="false"), identity.MISSING_HEADER, id="Metadata: false"),
        pytest.param(get(TOKEN, "X-Forwarded-For: 10.0.0.1"), answers.FORWARDED, id="X-Forwarded-For"),
        pytest.param(get(TOKEN.partition("&")[0]), identity.NO_RESOURCE, id="no resource"),
        pytest.param(get(TOKEN.partition("&")[0] + "&resource="), identity.NO_RESOURCE, id="an empty resource"),
        pytest.param(get(f"{TOKEN}{'x' * 500}"), identity.BAD_RESOURCE, id="a long resource"),
        pytest.param(get(TOKEN.replace("api-version", "version")), identity.NO_VERSION, id="no api-version"),
        pytest.param(get(TOKEN.replace("2018-02-01", "2017-12-01")), identity.UNKNOWN_VERSION, id="too early"),
        pytest.param(get(TOKEN.replace("2018-02-01", "2019-08-02")), identity.UNKNOWN_VERSION, id="none at all"),
        pytest.param(get(f"{TOKEN}&client_id=other"), identity.UNKNOWN_IDENTITY, id="another client id"),
        pytest.param(get(f"{TOKEN}&object_id=other"), identity.UNKNOWN_IDENTITY, id="another object id"),
        pytest.param(get(f"{TOKEN}&client_id={OWN_ID}&object_id=x"), identity.UNKNOWN_IDENTITY, id="one of two"),
        pytest.param(get(f"{TOKEN}&msi_res_id=/subscriptions/x"), identity.UNKNOWN_IDENTITY, id="another's id in ARM"),
        pytest.param(request("POST", TOKEN), answers.method_not_allowed("GET"), id="POST"),
        pytest.param(get("/metadata/identity/info?api-version=2018-02-01"), answers.NOT_FOUND, id="another path"),
    ],
)
def test_what_is_refused_and_how_that_is_said(world: World, raw: bytes, answer: Answer) -> None:
    response = world.ask(raw)
    assert (response.status, response.body) == (answer.status, answer.body)


def test_the_errors_have_the_shape_of_azure_s() -> None:
    assert identity.UNKNOWN_IDENTITY.body == b'{"error":"invalid_request","error_description":"Identity not found"}'
    assert json.loads(identity.MISSING_HEADER.body)["error"] == "bad_request_102"


def test_the_exact_rule_holds_here_too() -> None:
    with serving(rules=Rules(exact_metadata_value=True)) as world:
        assert world.ask(get(TOKEN, metadata="True")).body == identity.MISSING_HEADER.body


def test_twenty_tokens_a_second_and_other_requests_are_not_counted() -> None:
    with serving(limits=Limits(tokens=20)) as world, world.connect() as client:
        client.send(get(TOKEN) * 21 + get())
        assert [client.receive().status for _ in range(22)] == [200] * 20 + [429, 200]
        world.pass_time(0.0625)
        client.send(get(TOKEN) * 2)
        assert [client.receive().status for _ in range(2)] == [200, 429]


def test_the_machine_s_rate_counts_tokens_along() -> None:
    with serving(limits=Limits(rate=5)) as world, world.connect() as client:
        client.send(get(TOKEN) * 6)
        assert [client.receive().status for _ in range(6)] == [200] * 5 + [429]


def test_asking_for_a_token_enrols_nobody(world: World) -> None:
    world.ask(get(TOKEN))
    assert world.backend.enrolled == []
    assert world.do(world.server.take_seen) == {}


def test_while_one_waits_for_its_token_others_are_served(world: World) -> None:
    with world.connect() as waits, world.connect() as other:
        world.do(world.identities.open.clear)
        waits.send(get(TOKEN))
        other.send(get())
        assert other.receive().status == 200
        world.do(world.identities.open.set)
        assert waits.receive().status == 200


def test_a_machine_that_has_left_meanwhile_gets_none(world: World) -> None:
    with world.connect() as client:
        world.do(world.identities.open.clear)
        client.send(get(TOKEN))
        world.until(lambda: bool(world.identities.asked))
        world.do(lambda: world.fleet.publish(gone=[("alpha", "vm1")]))
        world.do(world.identities.open.set)
        assert client.receive().status == 403


@pytest.mark.parametrize(("failure", "status"), [(Unavailable("later"), 410), (OSError("broken"), 500)])
def test_what_goes_wrong_there_is_told_as_elsewhere(world: World, failure: Exception, status: int) -> None:
    world.identities.failure = failure
    with world.connect() as client:
        client.send(get(TOKEN) + get())
        assert [client.receive().status for _ in range(2)] == [status, 200]
