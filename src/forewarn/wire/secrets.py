"""What clients send and are never told again, in Azure as here. So there is no need to keep it."""

from typing import Any

UNSEEN = frozenset(
    {
        "adminpassword",
        "administratorloginpassword",
        "customdata",
        "protectedparameters",
        "protectedsettings",
        "runaspassword",
        "sharedkey",
        "userdata",
    }
)
"""In lower case: ARM does not tell `adminPassword` from `AdminPassword`."""


def is_secret(name: str) -> bool:
    return name.lower() in UNSEEN


def without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_secrets(inner) for name, inner in value.items() if not is_secret(name)}
    if isinstance(value, list):
        return [without_secrets(inner) for inner in value]
    return value
