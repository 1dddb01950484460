"""How a template is refused: in ARM's own words where ARM would refuse it too, in ours where only Forewarn does.

The value of a secure parameter must never be read in an error. Inside an expression nobody knows any more where a text
came from, so what goes wrong there is a `Failure`: words, and the values they speak of, kept apart. In a template that
declares a secure parameter the values are left out when it is told.
"""

from forewarn.wire.errors import Malformed

EXPRESSIONS = "https://aka.ms/arm-template-expressions"
PARAMETERS = "https://aka.ms/arm-create-parameter-file"
RESOURCES = "https://aka.ms/arm-syntax-resources"


class TemplateError(Malformed):
    """A deployment that cannot be. `code` is ARM's word for it, the text is safe to show to the caller."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Failure(Exception):
    """Raised while an expression is evaluated; leaves this package as a TemplateError."""

    def __init__(self, words: str, *values: object) -> None:
        super().__init__(words)
        self._words = words
        self._values = values

    def told(self, *, discreet: bool) -> str:
        return self._words.format(*("…" if discreet else shown(value) for value in self._values))


def invalid(reason: str, see: str) -> TemplateError:
    """ARM refuses this template."""
    message = f"Deployment template validation failed: '{reason} Please see {see} for usage details.'."
    return TemplateError("InvalidTemplate", message)


def unevaluated(reason: str) -> TemplateError:
    """ARM refuses this expression."""
    message = f"Deployment template language expression evaluation failed: '{reason}'."
    return TemplateError("InvalidTemplate", f"{message} Please see {EXPRESSIONS} for usage details.")


def unsupported(what: str) -> TemplateError:
    """ARM would take it; Forewarn does not."""
    return TemplateError("InvalidTemplateDeployment", f"The template deployment is not valid here: {what}")


def too_many(what: str, most: int, actual: int) -> TemplateError:
    reason = f"The number of template {what} limit exceeded. Limit: '{most}' and actual: '{actual}'."
    return invalid(reason, "https://aka.ms/arm-template")


def shown(value: object) -> str:
    """Short, and on one line."""
    if isinstance(value, int) and abs(value) >= 2**63:
        return "…"  # Python refuses to write out the largest
    text = value if isinstance(value, str) else type(value).__name__ if isinstance(value, dict | list) else str(value)
    short = text if len(text) <= 200 else f"{text[:200]}…"
    return "".join(character if character.isprintable() else "�" for character in short)
