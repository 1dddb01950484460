"""How people name a machine: by its name, or by SCOPE/NAME where others have the same one."""

from collections.abc import Sequence

from forewarn.domain.machines import Machine
from forewarn.engine.ports import Reader


def machines_called(reader: Reader, text: str) -> Sequence[Machine]:
    scope, slash, name = text.rpartition("/")
    return reader.machines(scope, [name]) if slash else reader.machines_named(name)
