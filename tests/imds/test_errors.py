"""What is not served, and how that is said: the specification's table of errors."""

import pytest

from forewarn.domain.machines import Machine, Profile
from forewarn.imds import Rules
from forewarn.wire import answers
from forewarn.wire.answers import Answer
from tests.imds.world import PATH, Response, World, get, request, serving

INSTANCE = "/metadata/instance?api-version=2021-02-01"


def assert_is(response: Response, answer: Answer) -> None:
    assert (response.status, response.body) == (answer.status, answer.body)
    assert response.fields.get("content-type") == answer.content_type
    assert response.fields["server"] == answer.server
    assert response.fields["content-length"] == str(len(answer.body))
    assert response.fields.get("allow") == answer.allow


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        pytest.param(get(metadata=None), answers.MISSING_HEADER, id="no Metadata"),
        pytest.param(get(metadata="false"), answers.MISSING_HEADER, id="Metadata: false"),
        pytest.param(get(metadata=""), answers.MISSING_HEADER, id="Metadata empty"),
        pytest.param(get(metadata="true, true"), answers.MISSING_HEADER, id="Metadata twice in one"),
        pytest.param(get(PATH, "metadata: true"), answers.MISSING_HEADER, id="Metadata twice"),
        pytest.param(get("/metadata/versions", metadata=None), answers.MISSING_HEADER, id="no Metadata, versions"),
        pytest.param(get(INSTANCE, metadata=None), answers.MISSING_HEADER, id="no Metadata, instance"),
        pytest.param(get("/metadata/none", metadata=None), answers.MISSING_HEADER, id="no Metadata, nothing"),
        pytest.param(get(PATH, "X-Forwarded-For: 10.0.0.1"), answers.FORWARDED, id="X-Forwarded-For"),
        pytest.param(get(PATH, "x-forwarded-for:"), answers.FORWARDED, id="X-Forwarded-For empty"),
        pytest.param(get(INSTANCE, "X-Forwarded-For: 10.0.0.1"), answers.FORWARDED, id="X-Forwarded-For, instance"),
        pytest.param(get(PATH, "Forwarded: for=10.0.0.1"), answers.FORWARDED, id="Forwarded"),
        pytest.param(get(PATH, "Via: 1.1 proxy"), answers.FORWARDED, id="Via"),
        pytest.param(get("/"), answers.OUTSIDE_METADATA, id="root"),
        pytest.param(get("/favicon.ico", metadata=None), answers.OUTSIDE_METADATA, id="outside"),
        pytest.param(get("/metadatax"), answers.OUTSIDE_METADATA, id="nearly inside"),
        pytest.param(get("/metadata"), answers.INSTANCE_VERSION_REFUSED, id="/metadata"),
        pytest.param(get("/metadata?api-version=2021-02-01"), answers.NOT_FOUND, id="/metadata with a version"),
        pytest.param(get("/metadata/none?api-version=2021-02-01"), answers.NOT_FOUND, id="nothing there"),
        pytest.param(get("/metadata/instance"), answers.INSTANCE_VERSION_REFUSED, id="instance without a version"),
        pytest.param(get(INSTANCE.replace("2021", "1999")), answers.INSTANCE_VERSION_REFUSED, id="unknown version"),
        pytest.param(get("/metadata/instance/none?api-version=2021-02-01"), answers.NO_SUCH_ELEMENT, id="no element"),
        pytest.param(get("/metadata/instance/compute/name?api-version=2021-02-01"), answers.LEAF_NEEDS_TEXT, id="leaf"),
        pytest.param(request("PUT"), answers.method_not_allowed("GET", "POST"), id="PUT"),
        pytest.param(request("DELETE"), answers.method_not_allowed("GET", "POST"), id="DELETE"),
        pytest.param(request("OPTIONS"), answers.method_not_allowed("GET", "POST"), id="OPTIONS"),
        pytest.param(request("get"), answers.method_not_allowed("GET", "POST"), id="verb in lower case"),
        pytest.param(request("POST", INSTANCE), answers.method_not_allowed("GET"), id="POST of instance"),
        pytest.param(request("PUT", "/metadata/versions"), answers.method_not_allowed("GET"), id="PUT of versions"),
    ],
)
def test_requests_that_are_not_served(world: World, raw: bytes, answer: Answer) -> None:
    with world.connect() as client:
        client.send(raw + get())
        assert_is(client.receive(), answer)
        assert client.receive().status == 200, "the connection goes on"


@pytest.mark.parametrize("path", [PATH, INSTANCE, "/metadata", "/", "/%2F"])
def test_head_is_refused_without_a_body(world: World, path: str) -> None:
    with world.connect() as client:
        client.send(request("HEAD", path) + get())
        response = client.receive(to_head=True)
        assert (response.status, response.fields["server"]) == (400, "Microsoft-IIS/10.0")
        assert response.fields["content-length"] == "323"
        assert response.fields["content-type"] == "text/xml; charset=utf-8"
        assert client.receive().status == 200


@pytest.mark.parametrize("value", ["True", "TRUE", " true "])
def test_the_metadata_value_may_be_written_in_any_case(world: World, value: str) -> None:
    assert world.ask(get(metadata=value)).status == 200


@pytest.mark.parametrize(("value", "status"), [("true", 200), (" true ", 200), ("True", 400), ("TRUE", 400)])
def test_unless_the_rules_are_exact(value: str, status: int) -> None:
    with serving(rules=Rules(exact_metadata_value=True)) as world:
        assert world.ask(get(metadata=value)).status == status


def test_a_proxy_can_be_allowed_by_rule() -> None:
    with serving(rules=Rules(refused_fields=frozenset({"X-Forwarded-For"}))) as world:
        assert world.ask(get(PATH, "Via: 1.1 proxy")).status == 200
        assert world.ask(get(PATH, "X-Forwarded-For: 10.0.0.1")).status == 400


def test_no_answer_invites_a_browser(world: World) -> None:
    for raw in (get(PATH, "Origin: http://evil"), request("OPTIONS", PATH, "Origin: http://evil")):
        assert not [name for name in world.ask(raw).names if name.lower().startswith("access-control")]


def test_a_fault_of_ours_is_a_500_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    untold = Machine(scope="alpha", name="vm1", profile=Profile(tags=None))  # type: ignore[arg-type]
    with serving(machines=[untold]) as world, world.connect() as client:
        client.send(get(INSTANCE) + get())
        assert_is(client.receive(), answers.INTERNAL_ERROR)
        assert client.receive().status == 200
    assert "could not be decided" in caplog.text
