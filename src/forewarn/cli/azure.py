"""A configuration directory for the Azure CLI in which it knows only this Forewarn and is logged in already.

It is the command's own (AZURE_CONFIG_DIR): nobody's ~/.azure is read or written.
"""

import configparser
import hashlib
import io
import json
import os
import ssl
from dataclasses import dataclass
from pathlib import Path

from forewarn.access.files import RESOURCE, Local, make_private
from forewarn.disk import write_private

CLOUD = "Forewarn"
SETTINGS = {
    "cloud": {"name": CLOUD},
    "core": {
        "collect_telemetry": "no",
        "encrypt_token_cache": "false",  # where it would be, Forewarn could not write the login
        "instance_discovery": "false",  # Microsoft is not asked whether this login is one of its own
        "no_color": "yes",
        "survey_message": "no",
    },
    "output": {"show_survey_link": "no"},
    "auto-upgrade": {"enable": "no"},
}
CACHES = "msal_*", "service_principal_entries*", "accessTokens*", "clouds.config", "azureProfile.json"
"""What the CLI remembers of a login, and of the addresses of another day."""

MARK = "\n# Forewarn's own authority:\n"
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """What the CLI must know of a Forewarn."""

    url: str
    local: Local


def write_config(directory: Path, site: Site) -> None:
    """Make it so, whatever was there; settings of the user's own stay. Nothing is written that is there already."""
    make_private(directory)
    stamp = hashlib.sha256(repr((site.url, site.local, site.local.client_secret)).encode()).hexdigest().encode()
    marker = directory / "forewarn.stamp"
    if _read(marker) != stamp:
        for stale in (path for pattern in CACHES for path in directory.glob(pattern)):
            stale.unlink(missing_ok=True)
    for name, content in _files(directory, site).items():
        put(directory / name, content.encode())
    put(marker, stamp)


def write_bundle(path: Path, authority: Path) -> None:
    """The authorities trusted so far and Forewarn's, so that other sites can be reached from the same shell."""
    make_private(path.parent)
    put(path, f"{_trusted()}{MARK}{authority.read_text()}".encode())


def put(path: Path, content: bytes) -> None:
    if _read(path) != content:
        write_private(path, content)


def _files(directory: Path, site: Site) -> dict[str, str]:
    return {
        "config": _settings(directory / "config"),
        "clouds.config": _ini(_clouds(site)),
        "azureProfile.json": json.dumps(_profile(site.local)),
        "service_principal_entries.json": json.dumps([_entry(site.local)]),
    }


def _settings(path: Path) -> str:
    kept = _parser()
    try:
        kept.read_string((_read(path) or b"").decode())
    except (configparser.Error, UnicodeDecodeError):
        kept = _parser()
    kept.read_dict(SETTINGS)
    return _ini(kept)


def _clouds(site: Site) -> configparser.ConfigParser:
    clouds = _parser()
    clouds[CLOUD] = {
        "endpoint_resource_manager": site.url,
        "endpoint_management": site.url,
        "endpoint_active_directory": f"{site.url}/adfs",
        "endpoint_active_directory_resource_id": RESOURCE,
        "endpoint_microsoft_graph_resource_id": f"{site.url}/",  # `az role` asks there who is who
        "endpoint_vm_image_alias_doc": f"{site.url}/aliases.json",
        "subscription": site.local.subscription,
    }
    return clouds


def _profile(local: Local) -> object:
    subscription = {
        "id": local.subscription,
        "name": CLOUD,
        "state": "Enabled",
        "user": {"name": local.client_id, "type": "servicePrincipal"},
        "isDefault": True,
        "tenantId": local.tenant,
        "environmentName": CLOUD,
        "homeTenantId": local.tenant,
        "managedByTenants": [],
    }
    return {"subscriptions": [subscription]}


def _entry(local: Local) -> object:
    return {"client_id": local.client_id, "tenant": local.tenant, "client_secret": local.client_secret}


def _trusted() -> str:
    """The bundle that the shell names already, without an earlier Forewarn's part; or the system's; or none."""
    named = [os.environ.get("REQUESTS_CA_BUNDLE"), os.environ.get("CURL_CA_BUNDLE"), os.environ.get("SSL_CERT_FILE")]
    for place in (*named, ssl.get_default_verify_paths().cafile, *BUNDLES):
        content = _read(Path(place)) if place else None
        if content:
            return content.decode(errors="replace").partition(MARK)[0].rstrip("\n") + "\n"
    return ""


def _parser() -> configparser.ConfigParser:
    return configparser.ConfigParser(interpolation=None)


def _ini(parser: configparser.ConfigParser) -> str:
    text = io.StringIO()
    parser.write(text)
    return text.getvalue()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
