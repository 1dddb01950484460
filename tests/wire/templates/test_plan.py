"""Which resources a template stands for, in which order, and what is refused."""

from typing import Any

import pytest

from forewarn.wire.templates import Context, TemplateError, deploy_plan, outputs, read_deployment
from forewarn.wire.templates.results import camel_cased
from tests.wire.templates.kit import CONTEXT, GROUP, disk, found, plan, resource, template

Json = dict[str, Any]
LB = "Microsoft.Network/loadBalancers"


def order(*resources: Json) -> list[str]:
    return [planned.id.full_name for planned in plan(*resources)]


@pytest.mark.parametrize(
    "dependency",
    [
        pytest.param("Microsoft.Compute/disks/b", id="short form"),
        pytest.param("microsoft.compute/DISKS/B", id="in any case"),
        pytest.param("[resourceId('Microsoft.Compute/disks', 'b')]", id="resourceId"),
        pytest.param("[concat('Microsoft.Compute/disks/', 'b')]", id="concat"),
        pytest.param(f"{GROUP}/providers/Microsoft.Compute/disks/b", id="id"),
        pytest.param("b", id="name"),
    ],
)
def test_what_is_depended_on_comes_first(dependency: str) -> None:
    [first, second] = plan(disk("a", dependency, dependency), disk("b"))
    assert (first.id.name, second.id.name) == ("b", "a")
    assert second.depends_on == (first.id,)


def test_without_dependencies_the_order_is_the_written_one() -> None:
    assert order(disk("c"), disk("a"), disk("b")) == ["c", "a", "b"]


def test_only_what_must_wait_waits() -> None:
    assert order(disk("d", "b"), disk("c", "a"), disk("b", "a"), disk("a"), disk("e")) == ["a", "c", "b", "d", "e"]


def test_a_child_follows_its_parent_though_nothing_says_so() -> None:
    assert order(resource(f"{LB}/inboundNatRules", "lb/rule"), resource(LB, "lb")) == ["lb", "lb/rule"]


def test_a_child_may_have_its_parent_elsewhere() -> None:
    [rule] = plan(resource(f"{LB}/inboundNatRules", "lb/rule"))
    assert rule.id.relative == f"{LB}/lb/inboundNatRules/rule"


def test_children_may_be_written_inside_their_parent() -> None:
    grandchild = resource("things", "[concat('t', 'x')]")
    children = [
        resource("inboundNatRules", "r1", "r2"),
        resource("inboundNatRules", "r2", "lb", resources=[grandchild]),
    ]
    planned = plan(resource(LB, "lb", resources=children))
    assert [one.id.full_name for one in planned] == ["lb", "lb/r2", "lb/r1", "lb/r2/tx"]
    assert planned[3].id.type == f"{LB}/inboundNatRules/things"
    assert planned[1].body == {}


def test_a_dependency_on_a_child_is_found_by_its_path() -> None:
    assert order(disk("d", f"{LB}/lb/inboundNatRules/rule"), resource(f"{LB}/inboundNatRules", "lb/rule")) == [
        "lb/rule",
        "d",
    ]


def test_the_body_is_what_a_put_would_send() -> None:
    whole = disk("d", comments="mine", resources=[], location="eastus", zones=["1"], properties={"diskSizeGB": 1})
    [planned] = plan(whole)
    assert planned.body == {"location": "eastus", "zones": ["1"], "properties": {"diskSizeGB": 1}}
    assert planned.api_version == "2024-07-01"


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        pytest.param(
            [disk("a", "a")],
            f"Circular dependency detected on resource: '{GROUP}/providers/Microsoft.Compute/disks/a'.",
            id="itself",
        ),
        pytest.param(
            [disk("z", "a"), disk("a", "b"), disk("b", "c"), disk("c", "b")],
            "Circular dependency detected on resource: '/subs",
            id="circle",
        ),
        pytest.param(
            [resource(LB, "lb", "lb/rule"), resource(f"{LB}/inboundNatRules", "lb/rule")],
            "Circular",
            id="parent after child",
        ),
        pytest.param(
            [disk("a", "Microsoft.Compute/disks/none")],
            "The resource 'Microsoft.Compute/disks/none' is not defined in the template.",
            id="unknown dependency",
        ),
        pytest.param(
            [disk("x", "n"), disk("n"), resource(LB, "n")],
            "The resource 'n' is not defined in the template",
            id="ambiguous name",
        ),
        pytest.param([{**disk("a"), "dependsOn": "b"}], "must be an array of strings", id="dependsOn is no array"),
        pytest.param([{**disk("a"), "dependsOn": [1]}], "must be an array of strings", id="dependency is no text"),
        pytest.param(
            [disk("a"), disk("A")], "The resource 'Microsoft.Compute/disks/A' is defined multiple times", id="twice"
        ),
        pytest.param(
            [disk("a/b")],
            "The template resource 'a/b' for type 'Microsoft.Compute/disks' has incorrect segment lengths.",
            id="name too long",
        ),
        pytest.param([resource(f"{LB}/inboundNatRules", "rule")], "has incorrect segment lengths", id="name too short"),
        pytest.param([disk("a?")], "The resource name 'a?' is not valid", id="bad name"),
        pytest.param([resource("Compute/disks", "a")], "'Compute/disks' is not a resource type", id="bad type"),
        pytest.param(
            [{"name": "a", "apiVersion": "x"}], "The template resource 'a' must have a 'type', a string", id="no type"
        ),
        pytest.param([{"type": "A.B/c", "apiVersion": "x"}], "must have a 'name'", id="no name"),
        pytest.param([{"type": "A.B/c", "name": "a"}], "must have a 'apiVersion'", id="no api-version"),
        pytest.param(
            [disk(str(n)) for n in range(801)],
            "The number of template resources limit exceeded. Limit: '800' and actual: '801'",
            id="too many",
        ),
        pytest.param(
            [resource(LB, "lb", resources=[resource("x", str(n)) for n in range(800)])],
            "Limit: '800' and actual: '801'",
            id="too many children",
        ),
        pytest.param(["x"], "must be an array of objects", id="no object"),
    ],
)
def test_what_arm_refuses(resources: list[Json], words: str) -> None:
    with pytest.raises(TemplateError) as refusal:
        plan(*resources)
    assert words in str(refusal.value)
    assert refusal.value.code == "InvalidTemplate"


def test_eight_hundred_are_not_too_many() -> None:
    assert len(plan(*(disk(str(n), *([str(n + 1)] if n < 799 else [])) for n in range(800)))) == 800


@pytest.mark.parametrize(
    ("whole", "words"),
    [
        pytest.param(
            template(disk("d", copy={"name": "c", "count": 2})), "'copy' (iteration) is not supported", id="copy"
        ),
        pytest.param(
            template(disk("d", properties={"copy": [{"name": "x"}]})), "'copy' (iteration)", id="copy of a property"
        ),
        pytest.param(
            template(disk("d", x="[variables('a')]"), variables={"a": {"copy": []}}),
            "'copy' (iteration)",
            id="copy of a variable",
        ),
        pytest.param(
            template(disk("d"), variables={"copy": [{"name": "a", "count": 2, "input": 1}]}),
            "'copy' (iteration)",
            id="copy among the variables",
        ),
        pytest.param(template(disk("d", condition=True)), "'condition' is not supported", id="condition"),
        pytest.param(template(disk("d", scope="x")), "'scope' is not supported", id="scope"),
        pytest.param(
            template(resource("Microsoft.Resources/deployments", "d")), "nested deployments", id="nested deployment"
        ),
        pytest.param(
            template(resource("A.B/c/providers/locks", "c/D.E/l")), "resources that extend others", id="extension"
        ),
        pytest.param(template(functions=[{"namespace": "my"}]), "user-defined functions", id="functions"),
        pytest.param({"resources": {"a": disk("a")}}, "symbolic names", id="symbolic names"),
    ],
)
def test_what_only_forewarn_refuses(whole: Json, words: str) -> None:
    with pytest.raises(TemplateError) as refusal:
        deploy_plan(whole, {}, CONTEXT)
    assert words in str(refusal.value)
    assert refusal.value.code == "InvalidTemplateDeployment"


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"resources": None}, id="no resources"),
        pytest.param(template(parameters=[]), id="parameters"),
        pytest.param(template(variables="x"), id="variables"),
        pytest.param(template(variables={str(n): 1 for n in range(257)}), id="too many variables"),
        pytest.param(template(outputs=[]), id="outputs"),
        pytest.param(template(outputs={str(n): {"type": "int", "value": 1} for n in range(65)}), id="too many outputs"),
        pytest.param(template(outputs={"a": {"value": 1}}), id="output without a type"),
        pytest.param(template(outputs={"a": {"type": "string", "value": 1}}), id="output of another type"),
        pytest.param(template(outputs={"a": {"type": "string"}}), id="output without a value"),
    ],
)
def test_templates_of_the_wrong_shape(whole: Json) -> None:
    with pytest.raises(TemplateError) as refusal:
        outputs(whole, {}, CONTEXT, found)
    assert refusal.value.code == "InvalidTemplate"


@pytest.mark.parametrize("word", ["copy", "condition"])
def test_outputs_cannot_be_conditional_or_repeated(word: str) -> None:
    with pytest.raises(TemplateError, match=f"'{word}' of an output"):
        outputs(template(outputs={"a": {"type": "int", "value": 1, word: 1}}), {}, CONTEXT, found)


def test_outputs_say_their_type_as_azure_does_and_keep_secrets() -> None:
    declared = {
        "Name": {"type": "STRING", "value": "[resourceGroup().name]"},
        "list": {"type": "array", "value": [1]},
        "Key": {"type": "securestring", "value": "x"},
    }
    assert outputs(template(outputs=declared), {}, CONTEXT, found) == {
        "name": {"type": "String", "value": "rg1"},
        "list": {"type": "Array", "value": [1]},
        "key": {"type": "SecureString"},
    }


@pytest.mark.parametrize(
    ("name", "answered"),
    [
        ("VMSS", "vmss"),
        ("VMName", "vmName"),
        ("Name", "name"),
        ("name", "name"),
        ("A", "a"),
        ("AB", "ab"),
        ("aBC", "aBC"),
        ("IPAddress1", "ipAddress1"),
        ("_X", "_X"),
        ("", ""),
    ],
)
def test_output_names_are_recased(name: str, answered: str) -> None:
    assert camel_cased(name) == answered


def test_a_deployment_is_read_from_its_properties() -> None:
    read = read_deployment({"template": {"resources": []}, "mode": "incremental"})
    assert (read.template, read.parameters) == ({"resources": []}, {})


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        pytest.param(None, "InvalidRequestContent", id="nothing"),
        pytest.param({}, "InvalidRequestContent", id="no template"),
        pytest.param({"template": {}, "parameters": []}, "InvalidRequestContent", id="parameters"),
        pytest.param({"templateLink": {"uri": "x"}}, "InvalidTemplateDeployment", id="templateLink"),
        pytest.param({"template": {}, "parametersLink": {}}, "InvalidTemplateDeployment", id="parametersLink"),
        pytest.param({"template": {}, "mode": "Complete"}, "InvalidTemplateDeployment", id="complete mode"),
        pytest.param({"template": {}, "mode": 1}, "InvalidTemplateDeployment", id="strange mode"),
    ],
)
def test_a_deployment_that_is_none_is_refused(properties: object, code: str) -> None:
    with pytest.raises(TemplateError) as refusal:
        read_deployment(properties)
    assert refusal.value.code == code


def test_it_deploys_where_the_context_says() -> None:
    elsewhere = Context(subscription=CONTEXT.subscription, tenant="t", group="Other", location="local")
    [planned] = deploy_plan(template(disk("d", location="[resourceGroup().location]")), {}, elsewhere)
    assert planned.id.group == "Other"
    assert planned.body == {"location": "local"}
