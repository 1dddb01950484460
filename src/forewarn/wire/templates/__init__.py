"""ARM templates: what the CLI deploys, read far enough to deploy it.

`read_deployment` → `deploy_plan` → (somebody deploys) → `outputs`. Pure: what `reference` finds is asked of the caller.
Every refusal is a `TemplateError` with ARM's code, and none contains the value of a secure parameter.
"""

from forewarn.wire.templates.errors import TemplateError
from forewarn.wire.templates.evaluator import Context, Reference
from forewarn.wire.templates.plan import Deployment, PlannedResource, deploy_plan, read_deployment
from forewarn.wire.templates.results import outputs, parameters_view, resources_view

__all__ = [
    "Context",
    "Deployment",
    "PlannedResource",
    "Reference",
    "TemplateError",
    "deploy_plan",
    "outputs",
    "parameters_view",
    "read_deployment",
    "resources_view",
]
