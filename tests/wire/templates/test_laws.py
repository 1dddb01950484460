"""Whatever comes in, nothing but a plan or a TemplateError comes out, and no secret in it."""

import contextlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from forewarn.wire.templates import TemplateError, deploy_plan, outputs, parameters_view, read_deployment
from forewarn.wire.templates.parser import parse
from tests.wire.templates.kit import CONTEXT, found

Json = dict[str, Any]

SECRET = "hunterzwei"
PIECES = st.sampled_from(
    [
        *"()[]',.{} -1",
        "'a'",
        "''",
        "concat",
        "format",
        "resourceId",
        "parameters('p')",
        "parameters",
        "variables('v')",
        "variables",
        "'v'",
        "'{0}'",
        "reference",
        "providers",
        "'A.B/c'",
        "toUpper",
        "uniqueString",
        "resourceGroup()",
        ".id",
        "[0]",
        "subscription()",
        "\n",
        "\x00",
        "é",
    ]
)
EXPRESSIONS = st.lists(PIECES, max_size=12).map(lambda pieces: f"[{''.join(pieces)}]")
CALLS = st.recursive(
    st.sampled_from(["'a'", "1", "parameters('p')", "variables('v')", "'A.B/c'", "'{0}'", "resourceGroup()", "'p'"]),
    lambda inner: st.builds(
        lambda name, arguments, tail: f"{name}({', '.join(arguments)}){tail}",
        st.sampled_from(
            [
                "concat",
                "format",
                "resourceId",
                "reference",
                "providers",
                "toLower",
                "toUpper",
                "parameters",
                "variables",
                "uniqueString",
                "subscription",
                "resourceGroup",
                "length",
            ]
        ),
        st.lists(inner, max_size=3),
        st.sampled_from(["", "", "[0]", ".id", "['x']", "[parameters('p')]"]),
    ),
    max_leaves=6,
).map(lambda text: f"[{text}]")
TEXTS = st.text(max_size=5) | EXPRESSIONS | CALLS
SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from([2**63, -(2**70)]) | st.floats() | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=5
)
TYPES = st.sampled_from(["string", "int", "bool", "object", "array", "securestring", "secureObject"]) | VALUES


def loose(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with some of these fields, or anything."""
    return st.fixed_dictionaries({}, optional=fields) | VALUES


RESOURCES = st.recursive(
    loose(
        type=st.sampled_from(["A.B/c", "A.B/c/d", "d", "Microsoft.Resources/deployments"]) | TEXTS,
        name=st.sampled_from(["a", "b", "a/b"]) | TEXTS,
        apiVersion=st.just("2024-07-01") | VALUES,
        dependsOn=st.lists(st.sampled_from(["a", "b", "A.B/c/a", "a/b"]) | TEXTS, max_size=2) | VALUES,
        properties=VALUES,
    ),
    lambda inner: st.builds(
        lambda holder, children: {**holder, "resources": children} if isinstance(holder, dict) else holder,
        inner,
        st.lists(inner, max_size=2),
    ),
    max_leaves=3,
)
TEMPLATES = loose(
    parameters=st.dictionaries(
        st.sampled_from(["p", "q"]),
        loose(type=TYPES, defaultValue=VALUES, allowedValues=st.lists(SCALARS, max_size=2), minLength=VALUES),
        max_size=2,
    ),
    variables=st.dictionaries(st.sampled_from(["v", "w"]) | TEXTS, VALUES, max_size=3),
    resources=st.lists(RESOURCES, max_size=3),
    outputs=st.dictionaries(TEXTS, loose(type=TYPES, value=VALUES), max_size=2),
)
WELL_FORMED = st.fixed_dictionaries(
    {
        "parameters": st.just({"p": {"type": "string"}, "q": {"type": "object", "defaultValue": {"id": ["x"]}}}),
        "variables": st.fixed_dictionaries({"v": VALUES, "w": VALUES}),
        "resources": st.lists(
            st.fixed_dictionaries(
                {
                    "type": st.sampled_from(["A.B/c", "A.B/d"]),
                    "name": st.sampled_from(["a", "b", "c"]) | CALLS,
                    "apiVersion": st.just("2024-07-01"),
                    "properties": VALUES,
                },
                optional={"dependsOn": st.lists(st.sampled_from(["a", "b", "A.B/c/a"]) | CALLS, max_size=2)},
            ),
            max_size=3,
        ),
        "outputs": st.dictionaries(
            st.text("ABab", min_size=1, max_size=3),
            st.fixed_dictionaries({"type": st.sampled_from(["string", "object", "array", "int"]), "value": CALLS}),
            max_size=2,
        ),
    }
)
GIVEN = st.dictionaries(st.sampled_from(["p", "P", "q"]), loose(value=VALUES), max_size=2)


@given(EXPRESSIONS | CALLS | st.text())
def test_a_text_is_parsed_or_refused(text: str) -> None:
    with contextlib.suppress(TemplateError):
        parse(text)


def deploy(template: Any, given: Any) -> None:
    read = read_deployment({"template": template, "parameters": given})
    deploy_plan(read.template, read.parameters, CONTEXT)
    parameters_view(read.template, read.parameters, CONTEXT)
    outputs(read.template, read.parameters, CONTEXT, found)


@given(TEMPLATES, GIVEN)
def test_anything_is_planned_or_refused(template: Any, given: Any) -> None:
    with contextlib.suppress(TemplateError):
        deploy(template, given)


@given(WELL_FORMED, st.text(max_size=5))
def test_a_well_formed_template_is_planned_or_refused(template: Json, given: str) -> None:
    with contextlib.suppress(TemplateError):
        deploy(template, {"p": {"value": given}})


@given(WELL_FORMED)
def test_a_refusal_never_tells_a_secret(template: Json) -> None:
    secretive = {**template, "parameters": {"p": {"type": "secureString"}}}
    told = ""
    try:
        deploy(secretive, {"p": {"value": SECRET}})
    except TemplateError as refusal:
        told = str(refusal).lower()
    assert SECRET not in told
