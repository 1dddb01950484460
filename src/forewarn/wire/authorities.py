"""A host and a port as they stand in a URL."""

from ipaddress import ip_address


def bracketed(host: str) -> str:
    """An IPv6 address stands in brackets, so that its colons are not taken for the port's."""
    return f"[{host}]" if ":" in host else host


def authority(host: str, port: int) -> str:
    return f"{bracketed(host)}:{port}"


def is_loopback(host: str) -> bool:
    """Whether what is sent to that name or address stays on this host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
