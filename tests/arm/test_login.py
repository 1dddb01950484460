"""The login as Azure's clients walk through it: where everything is, then a token."""

import base64
from urllib.parse import quote_plus, urlencode, urlsplit

import pytest
from starlette.responses import PlainTextResponse

from forewarn.access.gate import Gate
from forewarn.arm.login import Login
from forewarn.store.memory import MemoryStore
from tests.access.asking import Answer, ask
from tests.access.making import SECRET, TENANT, a_key, an_access

ACCESS = an_access(MemoryStore())
APP = Login(Gate(PlainTextResponse("behind the gate"), ACCESS), ACCESS, lambda: 8443)
RESOURCE = "https://management.core.windows.net/"
FORM = {"grant_type": "client_credentials", "client_id": "local", "client_secret": SECRET}
TOKEN = f"/{TENANT}/oauth2/v2.0/token"


def get(target: str, scheme: str = "https", host: str = "localhost:8443") -> Answer:
    return ask(APP, "GET", target, scheme=scheme, host=host)


def post(form: dict[str, str], path: str = TOKEN, headers: dict[str, str] | None = None) -> Answer:
    told = {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
    return ask(APP, "POST", path, told, urlencode(form).encode())


def test_the_cloud_s_metadata_leads_here() -> None:
    told = get("/metadata/endpoints?api-version=2022-09-01").json
    assert told["authentication"]["loginEndpoint"] == "https://localhost:8443/adfs"
    assert told["authentication"]["audiences"][0] == RESOURCE
    assert told["resourceManager"] == "https://localhost:8443/"
    assert told["vmImageAliasDoc"] == "https://localhost:8443/aliases.json"
    assert (told["name"], told["suffixes"]) == ("Forewarn", {})


def test_older_clients_get_the_older_shape() -> None:
    told = get("/metadata/endpoints?api-version=2015-01-01").json
    assert set(told) == {"galleryEndpoint", "graphEndpoint", "portalEndpoint", "authentication"}
    assert told["authentication"]["loginEndpoint"] == "https://localhost:8443/adfs"


def test_an_api_version_is_needed() -> None:
    said = get("/metadata/endpoints")
    assert (said.status, said.code) == (400, "MissingApiVersionParameter")


@pytest.mark.parametrize("host", ["localhost:8443", "127.0.0.1:8443", "[::1]:1", "fleet.example", "a.localhost"])
def test_every_address_is_one_under_which_the_client_asked(host: str) -> None:
    told = get("/metadata/endpoints?api-version=2022-09-01", host=host).json
    assert told["authentication"]["loginEndpoint"] == f"https://{host}/adfs"
    assert (
        get("/adfs/.well-known/openid-configuration", host=host).json["token_endpoint"].startswith(f"https://{host}/")
    )


@pytest.mark.parametrize(
    ("host", "login"),
    [
        pytest.param("127.0.0.1:8255", "http://127.0.0.1:8255", id="here"),
        pytest.param("[::1]:8255", "http://[::1]:8255", id="here-too"),
        pytest.param("fleet.example:8255", "https://fleet.example:8443", id="elsewhere"),
        pytest.param("[2001:db8::1]:8255", "https://[2001:db8::1]:8443", id="at-an-address"),
        pytest.param("192.0.2.1", "https://192.0.2.1:8443", id="without-a-port"),
    ],
)
def test_over_plain_http_secrets_are_asked_for_only_on_this_host(host: str, login: str) -> None:
    told = get("/metadata/endpoints?api-version=2022-09-01", "http", host).json
    assert told["authentication"]["loginEndpoint"] == f"{login}/adfs"
    assert told["authentication"]["audiences"][0] == RESOURCE
    assert (
        get("/adfs/.well-known/openid-configuration", "http", host).json["token_endpoint"]
        == f"{login}/adfs/oauth2/token"
    )


@pytest.mark.parametrize(
    ("path", "token", "keys"),
    [
        pytest.param(
            f"/{TENANT}/v2.0/.well-known/openid-configuration",
            f"/{TENANT}/oauth2/v2.0/token",
            f"/{TENANT}/discovery/v2.0/keys",
            id="v2",
        ),
        pytest.param(
            f"/{TENANT}/.well-known/openid-configuration",
            f"/{TENANT}/oauth2/token",
            f"/{TENANT}/discovery/keys",
            id="v1",
        ),
        pytest.param(
            "/common/v2.0/.well-known/openid-configuration",
            f"/{TENANT}/oauth2/v2.0/token",
            f"/{TENANT}/discovery/v2.0/keys",
            id="any-tenant",
        ),
        pytest.param("/adfs/.well-known/openid-configuration", "/adfs/oauth2/token", "/adfs/discovery/keys", id="adfs"),
        pytest.param(
            f"//{TENANT.upper()}//V2.0/.well-known/OpenID-configuration",
            f"/{TENANT}/oauth2/v2.0/token",
            f"/{TENANT}/discovery/v2.0/keys",
            id="in-any-case",
        ),
    ],
)
def test_the_openid_configuration_leads_to_a_token_and_to_the_keys(path: str, token: str, keys: str) -> None:
    told = get(path).json
    assert urlsplit(told["token_endpoint"]).path == token
    assert urlsplit(told["jwks_uri"]).path == keys
    assert told["issuer"] == f"https://localhost:8443/{TENANT}"
    assert told["authorization_endpoint"].startswith("https://localhost:8443/")
    assert [key["kid"] for key in get(keys).json["keys"]] == [a_key().id]
    answer = post(FORM, token)
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    assert ACCESS.caller(answer.json["access_token"]).principal == "local"


def test_a_token_comes_with_its_times() -> None:
    told = post(FORM).json
    assert (told["token_type"], told["expires_in"]) == ("Bearer", 86400)
    assert told["expires_on"] - told["not_before"] == 86400


@pytest.mark.parametrize(
    ("asked", "audience"),
    [
        pytest.param({}, RESOURCE, id="nothing"),
        pytest.param({"scope": "https://management.core.windows.net//.default"}, RESOURCE, id="az"),
        pytest.param({"scope": "https://management.azure.com/.default"}, "https://management.azure.com", id="sdk"),
        pytest.param({"resource": RESOURCE}, RESOURCE, id="v1"),
        pytest.param({"scope": "https://localhost:8443/.default openid"}, "https://localhost:8443", id="own"),
    ],
)
def test_a_token_is_for_what_it_was_asked_for(asked: dict[str, str], audience: str) -> None:
    told = post({**FORM, **asked}).json
    assert told["resource"] == audience
    assert ACCESS.caller(told["access_token"], ["https://localhost:8443"]).name == "local"


def basic(user: str, password: str) -> dict[str, str]:
    coded = base64.b64encode(f"{quote_plus(user)}:{quote_plus(password)}".encode()).decode()
    return {"Authorization": f"Basic {coded}"}


def test_the_client_may_tell_its_secret_in_the_header() -> None:
    assert post({"grant_type": "client_credentials"}, headers=basic("local", SECRET)).status == 200
    assert post({"grant_type": "client_credentials"}, headers=basic("local", "x:y")).status == 401


GRANT = {"grant_type": "client_credentials"}


@pytest.mark.parametrize(
    ("form", "headers", "status", "error"),
    [
        pytest.param({**FORM, "client_secret": "x"}, {}, 401, "invalid_client", id="wrong-secret"),
        pytest.param({**FORM, "client_id": "x"}, {}, 401, "invalid_client", id="nobody"),
        pytest.param({**FORM, "grant_type": "password"}, {}, 400, "unsupported_grant_type", id="another-grant"),
        pytest.param({}, {}, 400, "invalid_request", id="nothing"),
        pytest.param(GRANT, {}, 400, "invalid_request", id="no-client"),
        pytest.param({**GRANT, "client_id": "local"}, {}, 400, "invalid_request", id="no-secret"),
        pytest.param(FORM, basic("local", SECRET), 400, "invalid_request", id="secret-twice"),
        pytest.param(GRANT, {"Authorization": "Basic ?"}, 400, "invalid_request", id="no-base64"),
        pytest.param(GRANT, {"Authorization": "Basic bG9jYWw="}, 400, "invalid_request", id="no-colon"),
        pytest.param({**FORM, "scope": "x" * 600}, {}, 400, "invalid_request", id="long-scope"),
        pytest.param({**FORM, "more": "x" * 20_000}, {}, 413, "invalid_request", id="long-form"),
        pytest.param({**FORM, **{str(n): "" for n in range(60)}}, {}, 400, "invalid_request", id="wide-form"),
    ],
)
def test_a_refusal_is_in_oauth_s_own_shape(
    form: dict[str, str], headers: dict[str, str], status: int, error: str
) -> None:
    said = post(form, headers=headers)
    assert (said.status, said.json["error"]) == (status, error)
    assert said.json["error_description"]
    assert SECRET not in said.body.decode()


@pytest.mark.parametrize("body", [b"\xff=\xff", b"grant_type=client_credentials&grant_type=password"])
def test_a_form_that_makes_no_sense_is_refused(body: bytes) -> None:
    said = ask(APP, "POST", TOKEN, {}, body)
    assert (said.status, said.json["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("path", ["/x/oauth2/token", "/x/v2.0/.well-known/openid-configuration", "/x/discovery/keys"])
def test_another_tenant_is_not_known_here(path: str) -> None:
    said = post(FORM, path) if path.endswith("token") else get(path)
    assert (said.status, said.json["error"]) == (400, "invalid_request")
    assert TENANT in said.json["error_description"]


def test_a_wrong_method_is_told_the_right_one() -> None:
    said = get(TOKEN)
    assert (said.status, said.code, said.headers["allow"]) == (405, "MethodNotAllowed", "POST")


def test_everything_else_needs_a_token() -> None:
    assert get("/subscriptions").status == 401
    token = post(FORM).json["access_token"]
    said = ask(APP, "GET", "/subscriptions", {"Authorization": f"Bearer {token}"})
    assert (said.status, said.body) == (200, b"behind the gate")


def test_the_image_aliases_are_public() -> None:
    told = get("/aliases.json").json
    assert told["outputs"]["aliases"]["value"]["Linux"]["UbuntuLTS"]["architecture"] == "x64"
