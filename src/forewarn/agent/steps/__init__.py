"""The built-in steps. Each adapts one thing, takes its options from its own dataclass, and knows nothing of the others.

A built-in is imported when a configuration uses it, so that the agent stays small.
"""

from importlib import import_module
from typing import cast

from forewarn.agent.config import StepSpec
from forewarn.agent.errors import BadConfig
from forewarn.agent.options import read_options
from forewarn.agent.turns import Step

STEPS = {
    "command": "command.Command",
    "systemd": "systemd.Unit",
    "wait": "waiting.Wait",
    "haproxy": "haproxy.Server",
    "kubernetes": "kubernetes.Node",
    "http": "http.Call",
    "notify": "notify.Notify",
    "log": "log.Log",
}


def shape(use: str) -> type[Step]:
    """The dataclass behind a built-in; its fields are its options."""
    module, name = STEPS[use].split(".")
    return cast(type[Step], getattr(import_module(f"{__name__}.{module}"), name))


def build(spec: StepSpec) -> Step:
    if spec.use not in STEPS:
        raise BadConfig(f"steps.{spec.name}.use: {spec.use!r} is none of {', '.join(STEPS)}")
    return read_options(shape(spec.use), spec.options, f"steps.{spec.name}")
