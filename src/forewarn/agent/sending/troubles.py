"""What went wrong on the way, in words for the log. An exception's own text may hold an address or an answer: it is not
used."""

import socket
import ssl

from forewarn.agent.sending import TryLater


def unreached(where: str, error: Exception, limit: float) -> TryLater:
    return TryLater(f"{where}: {_reason(error, limit)}")


def _reason(error: Exception, limit: float) -> str:
    match error:
        case TimeoutError():
            return f"no answer within {limit:g} s"
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted ({error.verify_message}); 'ca_file' names another authority"
        case ssl.SSLError():
            return f"no TLS connection ({error.reason or 'broken off'})"
        case socket.gaierror():
            return "its name cannot be resolved"
        case OSError():
            return error.strerror or "it broke the connection off"
        case _:
            return f"what it answered cannot be read ({type(error).__name__})"
