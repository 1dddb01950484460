"""What expressions come to, and in which words they are refused."""

from typing import Any

import pytest

from forewarn.wire.templates import TemplateError
from tests.wire.templates.kit import CONTEXT, GROUP, SUBSCRIPTION, disk, output_of, value_of

OTHER = "00000000-0000-0000-0000-00000000000f"
VARIABLES = {
    "name": "web",
    "list": ["a", {"b": ["c"]}],
    "object": {"Inner": {"deep": 1}, "odd name": 2},
    "made": "[concat(variables('name'), '-', variables('NAME'))]",
    "nested": {"x": ["[variables('made')]"]},
    "flag": True,
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        pytest.param("plain", "plain", id="text"),
        pytest.param("", "", id="empty text"),
        pytest.param("[not closed", "[not closed", id="opened only"),
        pytest.param("[a] and [b", "[a] and [b", id="brackets inside"),
        pytest.param("[[concat('a')]", "[concat('a')]", id="escaped"),
        pytest.param(7, 7, id="number"),
        pytest.param(None, None, id="null"),
        pytest.param({"[variables('name')]": ["['x']"]}, {"web": ["x"]}, id="key and item"),
        pytest.param("['it''s']", "it's", id="quote"),
        pytest.param("[-12]", -12, id="integer"),
        pytest.param("[ concat( 'a' ,'b' ) ]", "ab", id="spaces"),
        pytest.param("[CONCAT('a', 'b')]", "ab", id="function in any case"),
        pytest.param("[concat('a', 1, variables('flag'))]", "a1True", id="concat of scalars"),
        pytest.param("[concat(variables('list'), variables('list'))]", [*"a", {"b": ["c"]}] * 2, id="concat of arrays"),
        pytest.param("[concat('a', concat('b', concat('c')))]", "abc", id="nested calls"),
        pytest.param("[variables('list')[1].b[0]]", "c", id="index and property"),
        pytest.param("[variables('object').inner.DEEP]", 1, id="property in any case"),
        pytest.param("[variables('object')['odd name']]", 2, id="property in brackets"),
        pytest.param("[variables('nested')]", {"x": ["web-web"]}, id="variable made of variables"),
        pytest.param("[toLower('AbC')]", "abc", id="toLower"),
        pytest.param("[toUpper('AbC')]", "ABC", id="toUpper"),
        pytest.param("[format('{0}-{1}-{0} {{x}}', 'a', 2)]", "a-2-a {x}", id="format"),
        pytest.param("[subscription().subscriptionId]", SUBSCRIPTION, id="subscription"),
        pytest.param("[subscription().tenantId]", CONTEXT.tenant, id="tenant"),
        pytest.param("[resourceGroup().id]", GROUP, id="group id"),
        pytest.param("[resourceGroup().location]", "eastus", id="group location"),
        pytest.param("[resourceGroup().tags.a]", "b", id="group tag"),
        pytest.param(
            "[resourceId('Microsoft.Compute/disks', 'd')]",
            f"{GROUP}/providers/Microsoft.Compute/disks/d",
            id="resourceId",
        ),
        pytest.param(
            "[resourceId('microsoft.network/loadBalancers/inboundNatRules', 'lb', 'rule')]",
            f"{GROUP}/providers/Microsoft.Network/loadBalancers/lb/inboundNatRules/rule",
            id="resourceId of a child",
        ),
        pytest.param(
            "[resourceId('rg2', 'Microsoft.Compute/disks', 'd')]",
            f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg2/providers/Microsoft.Compute/disks/d",
            id="resourceId in another group",
        ),
        pytest.param(
            f"[resourceId('{OTHER}', 'rg2', 'Microsoft.Compute/disks', 'd')]",
            f"/subscriptions/{OTHER}/resourceGroups/rg2/providers/Microsoft.Compute/disks/d",
            id="resourceId in another subscription",
        ),
        pytest.param(
            "[providers('Microsoft.Compute', 'virtualMachineScaleSets').apiVersions[0]]", "2026-04-01", id="providers"
        ),
        pytest.param("[providers('microsoft.network').namespace]", "Microsoft.Network", id="one provider"),
    ],
)
def test_values(expression: Any, value: Any) -> None:
    assert value_of(expression, variables=VARIABLES) == value


def test_unique_strings_depend_on_their_arguments_only() -> None:
    one = value_of("[uniqueString(resourceGroup().id)]")
    assert one == value_of(f"[uniqueString('{GROUP}')]")
    assert one != value_of("[uniqueString(resourceGroup().id, 'x')]")
    assert len(one) == 13
    assert set(one) <= set("abcdefghijklmnopqrstuvwxyz234567")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        pytest.param("[concat('a'", "", id="no expression"),
        pytest.param("[concat('a']", "expected token 'Comma' and actual 'EndOfData'", id="unclosed call"),
        pytest.param("[]", "expected token 'Identifier' and actual 'EndOfData'", id="empty"),
        pytest.param("[concat]", "expected token 'LeftParenthesis' and actual 'EndOfData'", id="no call"),
        pytest.param("['a' 'b']", "expected token 'EndOfData' and actual 'String'", id="two values"),
        pytest.param("[a().]", "expected token 'Identifier' and actual 'EndOfData'", id="dot without a name"),
        pytest.param("[  {x}]", "the string character '{' at position '2' is not expected", id="strange character"),
        pytest.param("['a]", "the string character ''' at position '0' is not expected", id="unclosed text"),
        pytest.param("[12345678901234567890]", "is not expected", id="number too large"),
        pytest.param(
            "[copyIndex()]",
            "The template function 'copyIndex' is not valid. Forewarn supports concat, format,",
            id="unknown function",
        ),
        pytest.param(
            "[my.own('x')]", "The template function 'my.own' is not valid", id="function of the template's own"
        ),
        pytest.param("[reference('d')]", "supports it in outputs", id="reference outside of outputs"),
        pytest.param("[variables('none')]", "The template variable 'none' is not found", id="unknown variable"),
        pytest.param("[parameters('none')]", "The template parameter 'none' is not found", id="unknown parameter"),
        pytest.param(
            "[variables('object').x]",
            "property 'x' doesn't exist, available properties are 'Inner, odd name'",
            id="unknown property",
        ),
        pytest.param("[variables('list')[2]]", "array index '2' is out of bounds", id="index too high"),
        pytest.param("[variables('list')[-1]]", "array index '-1' is out of bounds", id="index too low"),
        pytest.param("[variables('list').x]", "property 'x' can't be evaluated", id="property of an array"),
        pytest.param("[variables('name')[0]]", "property '0' can't be evaluated", id="index of a text"),
        pytest.param("[concat()]", "'concat': it needs an argument", id="concat of nothing"),
        pytest.param(
            "[concat('a', variables('list'))]", "'concat': it takes strings and integers", id="concat of mixed"
        ),
        pytest.param("[toLower(1)]", "'toLower': it takes 1 argument(s), all strings", id="wrong type"),
        pytest.param("[variables()]", "'variables': it takes 1 argument(s)", id="too few arguments"),
        pytest.param("[format('{0}')]", "placeholder without a value", id="format without a value"),
        pytest.param("[format('{0:N2}', 1)]", "placeholders such as {0} only", id="format with a format"),
        pytest.param(
            "[resourceId('Microsoft.Compute/disks', 'a', 'b')]", "needs 1 name(s), and 2 came", id="too many names"
        ),
        pytest.param("[resourceId('disks', 'a')]", "needs a resource type", id="no type"),
        pytest.param(
            "[resourceId('x', 'rg', 'A.B/c', 'd')]", "subscription identifier 'x' is malformed", id="no subscription"
        ),
        pytest.param("[providers('A.B', 'c')]", "'A.B/c' is not known here", id="unknown provider"),
        pytest.param(
            {"[variables('list')]": 1}, "must be a string to be the name of a property", id="key that is no text"
        ),
        pytest.param("[" + "concat(" * 60 + ")" * 60 + "]", "more than 50 levels", id="nested too deep"),
        pytest.param("[variables('list')" + "[0]" * 60 + "]", "more than 50 levels", id="too many indexes"),
        pytest.param("['" + "x" * 30_000 + "']", "length limit exceeded. Limit: '24576'", id="too long"),
    ],
)
def test_what_is_refused(expression: Any, words: str) -> None:
    if not words:
        assert value_of(expression) == expression
        return
    with pytest.raises(TemplateError) as refusal:
        value_of(expression, variables=VARIABLES)
    assert words in str(refusal.value)
    assert refusal.value.code == "InvalidTemplate"
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({"a": "[variables('a')]"}, id="itself"),
        pytest.param({"a": ["[variables('b')]"], "b": {"x": "[variables('A')]"}}, id="each other"),
    ],
)
def test_a_variable_made_of_itself_is_refused(variables: dict[str, Any]) -> None:
    with pytest.raises(TemplateError, match="variable 'a' is made of itself"):
        value_of("[variables('a')]", variables=variables)


NINEFOLD = "[concat({0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0})]"
DOUBLED = {"v0": "x", **{f"v{n}": [f"[variables('v{n - 1}')]"] * 2 for n in range(1, 26)}}
LENGTHENED = {"v0": "x", **{f"v{n}": NINEFOLD.format(f"variables('v{n - 1}')") for n in range(1, 26)}}
FORMATTED = {**LENGTHENED, "v25": "[format('" + "{0}" * 5000 + "', variables('v4'))]"}
LOWERED = {**LENGTHENED, "v25": ["[toLower(variables('v6'))]"] * 500}


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param(DOUBLED, id="arrays"),
        pytest.param({**DOUBLED, "v0": []}, id="empty arrays"),
        pytest.param({**DOUBLED, "v0": {}}, id="empty objects"),
        pytest.param(LENGTHENED, id="concat"),
        pytest.param(FORMATTED, id="format"),
        pytest.param(LOWERED, id="toLower"),
    ],
)
def test_a_small_template_cannot_stand_for_a_huge_one(variables: dict[str, Any]) -> None:
    with pytest.raises(TemplateError, match="larger than 4194304 characters"):
        value_of("[variables('v25')]", variables=variables)


def test_numbers_too_large_to_write_out_are_refused() -> None:
    with pytest.raises(TemplateError, match="takes strings and integers"):
        value_of("[concat(variables('n'))]", variables={"n": 10**5000})
    with pytest.raises(TemplateError, match="can't be evaluated"):
        value_of("[variables('n')[variables('n')]]", variables={"n": 10**5000})


def test_deep_templates_are_refused() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(TemplateError, match="more than 100 levels deep"):
        value_of(deep)


def test_a_long_chain_of_variables_is_refused_and_not_a_crash() -> None:
    chain = {"v0": "x", **{f"v{n}": f"[variables('v{n - 1}')]" for n in range(1, 250)}}
    assert value_of("[variables('v20')]", variables=chain) == "x"
    with pytest.raises(TemplateError, match="more than 100 levels deep"):
        value_of("[variables('v249')]", variables=chain)


def test_no_two_values_share_a_part() -> None:
    value = value_of(["[variables('list')]", "[variables('list')]"], variables=VARIABLES)
    value[0][1]["b"].append("mine")
    assert value[1] == VARIABLES["list"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        pytest.param(
            "[reference(resourceId('Microsoft.Compute/disks', 'd'))]",
            {"at": f"{GROUP}/providers/Microsoft.Compute/disks/d", "full": False},
            id="by id",
        ),
        pytest.param(
            "[reference('D')]", {"at": f"{GROUP}/providers/Microsoft.Compute/disks/d", "full": False}, id="by name"
        ),
        pytest.param("[reference('d', '2024-07-01', 'Full').full]", True, id="the whole of it"),
        pytest.param(
            "[reference(resourceId('other', 'A.B/cs', 'c'), '1').at]",
            f"/subscriptions/{SUBSCRIPTION}/resourceGroups/other/providers/A.B/cs/c",
            id="not of this template",
        ),
    ],
)
def test_references_in_outputs(expression: str, value: Any) -> None:
    type = {dict: "object", bool: "bool", str: "string"}[value.__class__]
    assert output_of(expression, type, disk("d")) == value


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        pytest.param("[reference(resourceId('A.B/cs', 'nothing'))]", "is not found", id="not there"),
        pytest.param("[reference('x')]", "could not find template resource with this name", id="no such name"),
        pytest.param("[reference('/x')]", "is not a resource id", id="no id"),
        pytest.param("[reference('d').full]", "Expected 'Object'. Actual 'Boolean'", id="not of the type declared"),
    ],
)
def test_references_that_fail(expression: str, words: str) -> None:
    with pytest.raises(TemplateError) as refusal:
        output_of(expression, "object", disk("d"))
    assert words in str(refusal.value)
