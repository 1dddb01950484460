"""Parameters against their declarations; secrets are never told."""

from typing import Any

import pytest

from forewarn.wire.templates import TemplateError, parameters_view
from tests.wire.templates.kit import CONTEXT, disk, output_of, plan, template, value_of

Json = dict[str, Any]


def declared(type: str, **more: Any) -> Json:
    return {"p": {"type": type, **more}}


@pytest.mark.parametrize(
    ("declaration", "given", "value"),
    [
        pytest.param(declared("string"), "x", "x", id="string"),
        pytest.param(declared("String"), "[concat('a')]", "[concat('a')]", id="a value is no expression"),
        pytest.param(declared("securestring"), "x", "x", id="secure string"),
        pytest.param(declared("int"), 3, 3, id="int"),
        pytest.param(declared("bool"), False, False, id="bool"),
        pytest.param(declared("object"), {"a": [1]}, {"a": [1]}, id="object"),
        pytest.param(declared("array"), [1, "x"], [1, "x"], id="array"),
        pytest.param(declared("string", defaultValue="d"), None, "d", id="default"),
        pytest.param(declared("string", defaultValue="[resourceGroup().name]"), None, "rg1", id="default expression"),
        pytest.param(declared("string", defaultValue="d"), "x", "x", id="default not needed"),
        pytest.param(declared("string", allowedValues=["a", "b"]), "b", "b", id="allowed"),
        pytest.param(declared("array", allowedValues=["a", "b"]), ["b"], ["b"], id="each allowed"),
        pytest.param(declared("string", minLength=1, maxLength=3), "abc", "abc", id="length"),
        pytest.param(declared("int", minValue=1, maxValue=3), 3, 3, id="range"),
    ],
)
def test_values_that_fit(declaration: Json, given: Any, value: Any) -> None:
    values = {} if given is None else {"P": {"value": given}}
    assert value_of("[parameters('p')]", values, parameters=declaration) == value


@pytest.mark.parametrize(
    ("declaration", "given", "words"),
    [
        pytest.param(
            declared("string"),
            {},
            "The value for the template parameter 'p' is not provided. Please see https://aka.ms/",
            id="missing",
        ),
        pytest.param(declared("string"), {"p": {"value": None}}, "'p' is not provided", id="null"),
        pytest.param(
            declared("string"),
            {"p": {"value": 1}},
            "Expected a value of type 'String, Uri', but received a value of type 'Integer'",
            id="integer for string",
        ),
        pytest.param(
            declared("int"),
            {"p": {"value": True}},
            "'Integer', but received a value of type 'Boolean'",
            id="bool for int",
        ),
        pytest.param(
            declared("int"),
            {"p": {"value": 1.5}},
            "'Integer', but received a value of type 'Float'",
            id="float for int",
        ),
        pytest.param(
            declared("object"),
            {"p": {"value": []}},
            "'Object', but received a value of type 'Array'",
            id="array for object",
        ),
        pytest.param(
            declared("string", defaultValue="[resourceGroup()]"),
            {},
            "'String, Uri', but received a value of type 'Object'",
            id="default of the wrong type",
        ),
        pytest.param(
            declared("string", allowedValues=["a", "b"]),
            {"p": {"value": "c"}},
            "is not part of the allowed value(s): 'a, b'",
            id="not allowed",
        ),
        pytest.param(
            declared("string", minLength=3),
            {"p": {"value": "ab"}},
            "should be greater than or equal to '3'",
            id="too short",
        ),
        pytest.param(
            declared("array", maxLength=1),
            {"p": {"value": [1, 2]}},
            "should be less than or equal to '1'",
            id="too long",
        ),
        pytest.param(
            declared("int", maxValue=1), {"p": {"value": 2}}, "should be less than or equal to '1'", id="too large"
        ),
        pytest.param(
            declared("int", maxLength=1),
            {"p": {"value": 2}},
            "maxLength must be an integer and fit its type",
            id="limit that does not fit",
        ),
        pytest.param(declared("text"), {}, "must be one of String, SecureString, Int,", id="unknown type"),
        pytest.param({"p": "string"}, {}, "must be one of", id="no declaration"),
        pytest.param(
            declared("string", allowedValues="a"), {}, "allowedValues must be an array", id="allowed is no array"
        ),
        pytest.param(declared("string"), {"p": "x"}, "must be an object with a 'value'", id="bare value"),
        pytest.param(
            declared("string"),
            {"q": {"value": 1}},
            "The only supported parameters for this template are 'p'.",
            id="unknown parameter",
        ),
        pytest.param(
            {"p": {"type": "string", "defaultValue": "[parameters('p')]"}},
            {},
            "parameter 'p' is made of itself",
            id="circular",
        ),
        pytest.param(
            {f"p{n}": {"type": "string"} for n in range(257)},
            {},
            "The number of template parameters limit exceeded. Limit: '256' and actual: '257'",
            id="too many",
        ),
    ],
)
def test_values_that_do_not(declaration: Json, given: Json, words: str) -> None:
    with pytest.raises(TemplateError) as refusal:
        plan(disk("d"), given=given, parameters=declaration)
    assert words in str(refusal.value)
    assert str(refusal.value).startswith("Deployment template ")
    assert refusal.value.code == "InvalidTemplate"


def test_a_key_vault_is_not_there() -> None:
    with pytest.raises(TemplateError, match="key vault") as refusal:
        plan(given={"p": {"reference": {}}}, parameters=declared("securestring"))
    assert refusal.value.code == "InvalidTemplateDeployment"


SECRET = "hunter-Zwei"
SECRETIVE: list[Any] = [
    pytest.param(disk("[parameters('p')]", "nowhere"), id="resource name, unrelated error"),
    pytest.param(disk("[concat(parameters('p'), '/x')]"), id="segments"),
    pytest.param(disk("[concat(parameters('p'), '?')]"), id="name"),
    pytest.param(disk("d", "[parameters('p')]"), id="dependency"),
    pytest.param(disk("[parameters('p')]", "[parameters('p')]"), id="circle"),
    pytest.param(disk("d", resources=[disk("[parameters('p')]")] * 2), id="twice"),
    pytest.param(disk("d", x="[resourceId('A.B/c', concat(parameters('p'), '?'))]"), id="id"),
    pytest.param(disk("d", x="[variables(parameters('p'))]"), id="variable"),
    pytest.param(disk("d", x="[parameters(toUpper(parameters('p')))]"), id="parameter"),
    pytest.param(disk("d", x="[resourceGroup()[parameters('p')]]"), id="property"),
    pytest.param(disk("d", x="[parameters('o').x]"), id="properties of a secure object"),
    pytest.param(disk("d", x="[providers(parameters('p'))]"), id="provider"),
    pytest.param({**disk("d"), "type": "[parameters('p')]"}, id="type"),
    pytest.param({**disk("d"), "apiVersion": {"[parameters('p')]": 1}}, id="api-version"),
    pytest.param(disk("d", x="[format('{1}', parameters('p'))]"), id="format"),
    pytest.param(disk("d", x="[reference(parameters('p'))]"), id="reference"),
]


@pytest.mark.parametrize("resource", SECRETIVE)
def test_no_error_tells_a_secret(resource: Json) -> None:
    parameters = {"p": {"type": "securestring"}, "o": {"type": "secureObject"}}
    given = {"p": {"value": SECRET}, "o": {"value": {SECRET: SECRET}}}
    with pytest.raises(TemplateError) as refusal:
        plan(resource, given=given, parameters=parameters)
    assert SECRET.lower() not in str(refusal.value).lower()


@pytest.mark.parametrize(
    "declaration",
    [
        pytest.param(declared("int"), id="type"),
        pytest.param(declared("secureString", allowedValues=["a"]), id="allowed"),
        pytest.param(declared("secureString", maxLength=2), id="length"),
    ],
)
def test_no_misfit_tells_a_secret(declaration: Json) -> None:
    with pytest.raises(TemplateError) as refusal:
        plan(given={"p": {"value": SECRET}}, parameters=declaration)
    assert SECRET not in str(refusal.value)


def test_outputs_that_fail_do_not_tell_a_secret_either() -> None:
    for expression in ("[reference(parameters('p'))]", "[reference(concat('/', parameters('p')))]"):
        with pytest.raises(TemplateError) as refusal:
            output_of(expression, given={"p": {"value": SECRET}}, parameters=declared("securestring"))
        assert SECRET not in str(refusal.value)


def test_a_view_of_parameters_has_defaults_and_no_secrets() -> None:
    parameters = {
        "Size": {"type": "int", "defaultValue": 2},
        "password": {"type": "secureString"},
        "where": {"type": "string"},
    }
    given = {"password": {"value": SECRET}, "WHERE": {"value": "here"}}
    assert parameters_view(template(parameters=parameters), given, CONTEXT) == {
        "Size": {"type": "Int", "value": 2},
        "password": {"type": "SecureString"},
        "where": {"type": "String", "value": "here"},
    }
