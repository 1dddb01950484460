"""A host and a port as they stand in a URL."""


def bracketed(host: str) -> str:
    """An IPv6 address stands in brackets, so that its colons are not taken for the port's."""
    return f"[{host}]" if ":" in host else host


def authority(host: str, port: int) -> str:
    return f"{bracketed(host)}:{port}"
