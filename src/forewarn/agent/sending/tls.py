"""Whom to trust: the system's authorities, or those of `ca_file`."""

import ssl

from forewarn.agent.sending import TryLater
from forewarn.agent.steps.notify import Notify


def trusting(step: Notify) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=step.ca_file)
    except ssl.SSLError:
        raise TryLater(f"{step.ca_file} holds no certificate in PEM") from None
    except OSError as error:
        raise TryLater(f"{step.ca_file}: {error.strerror}") from None
