"""`forewarn env`: what a shell must know so that Azure's own clients, started from it, ask this Forewarn."""

import argparse
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from forewarn.access.files import Local, ca_file, make_private
from forewarn.cli.azure import CLOUD, Site, write_bundle, write_config
from forewarn.cli.output import Output
from forewarn.cli.shells import SHELLS, Shell
from forewarn.cli.verbs import Verbs, add_verb
from forewarn.domain.errors import Invalid
from forewarn.remote import Client, Refusal, Unreachable
from forewarn.remote.instances import Instance, instance_at, instances
from forewarn.remote.login import find_login, named_data

TELLS = 'Print what to eval, so that the real az and the real SDK ask Forewarn: eval "$(forewarn env)".'
PROXIES = "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "env", env, TELLS)
    verb.add_argument("--shell", choices=list(SHELLS), help="for which shell (default: fish if SHELL is, else sh)")
    form = verb.add_mutually_exclusive_group()
    form.add_argument("--sdk", action="store_true", help="also the variables that Azure's SDKs read")
    form.add_argument("--login", action="store_true", help="instead, the commands to register the cloud and log in")


def env(args: argparse.Namespace, client: Client, out: Output) -> int:
    instance = _running(args, client)
    login = find_login(instance.control, Path(instance.data))
    if login is None or instance.arm is None:
        raise Invalid(f"The Forewarn at {instance.control} has no HTTPS, without which Azure's clients do not talk.")
    Client(instance.control, lambda: login).get("/clock")  # it runs, and the login counts
    site = Site(url=instance.arm, local=login.local)
    shell = SHELLS[args.shell or _shell()]
    try:
        variables = _variables(Path(instance.data), site, instance.control, for_login=args.login)
    except OSError as error:
        raise Refusal(f"{error.filename or instance.data}: {error.strerror or error}.") from None
    if args.sdk:
        variables |= _sdk(site)
    if out.as_json:
        out.json(variables)
    else:
        for line in shell.exports(variables):
            print(line)
        if args.login:
            print(_login(shell, site))
    return 0


def _running(args: argparse.Namespace, client: Client) -> Instance:
    """The one with the data directory that was named; or the one at the server's port."""
    named = named_data(getattr(args, "data", None))
    if named is None:
        found = instance_at(urlsplit(client.server).port or 80)
        where = f"at {client.server}"
    else:
        found = next((known for known in instances() if Path(known.data).resolve() == named.resolve()), None)
        where = f"with the data directory {named}"
    if found is None:
        others = "; ".join(f"{known.control} with {known.data}" for known in instances())
        hint = f" There are notes of {others}: name one with --server or --data." if others else ""
        raise Unreachable(f"No Forewarn of yours runs {where}: start one with `forewarn up`.{hint}")
    return found


def _variables(data: Path, site: Site, control: str, *, for_login: bool) -> dict[str, str]:
    directory = data / ("azure-login" if for_login else "azure")
    bundle = data / "azure" / "ca-bundle.pem"
    with _alone(bundle.parent):
        write_bundle(bundle, ca_file(data))
        if for_login:
            shutil.rmtree(directory, ignore_errors=True)  # a cloud can be registered only once
            make_private(directory)
        else:
            write_config(directory, site)
    variables = {
        "AZURE_CONFIG_DIR": str(directory),
        "REQUESTS_CA_BUNDLE": str(bundle),
        "FOREWARN_SERVER": control,
        **_past_proxies(site, os.environ),
    }
    return {**variables, "AZURE_CORE_COLLECT_TELEMETRY": "no"} if for_login else variables


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Several shells may begin at the same moment."""
    make_private(directory)
    held = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _past_proxies(site: Site, environment: Mapping[str, str]) -> dict[str, str]:
    """Both spellings, since programs differ in which of them they look at first."""
    if not any(environment.get(name) or environment.get(name.lower()) for name in PROXIES):
        return {}
    known = ",".join(environment.get(name, "") for name in ("no_proxy", "NO_PROXY")).split(",")
    own = ["localhost", "127.0.0.1", urlsplit(site.url).hostname or ""]
    hosts = ",".join(dict.fromkeys(host.strip() for host in (*known, *own) if host.strip()))
    return {"NO_PROXY": hosts, "no_proxy": hosts}


def _sdk(site: Site) -> dict[str, str]:
    local: Local = site.local
    return {
        "AZURE_AUTHORITY_HOST": site.url,
        "AZURE_TENANT_ID": "adfs",  # for which the libraries do not ask Microsoft
        "AZURE_CLIENT_ID": local.client_id,
        "AZURE_CLIENT_SECRET": local.client_secret,
        "AZURE_SUBSCRIPTION_ID": local.subscription,
        "AZURE_RESOURCE_MANAGER_URL": site.url,
    }


def _login(shell: Shell, site: Site) -> str:
    """Each only after the one before: a login without the cloud would go to Microsoft."""
    local = site.local
    return shell.chain(
        [
            shell.command("az", "cloud", "register", "--name", CLOUD, "--endpoint-resource-manager", site.url),
            shell.command("az", "cloud", "set", "--name", CLOUD),
            shell.command(
                "az",
                "login",
                "--service-principal",
                f"--username={local.client_id}",
                f"--password={local.client_secret}",
                f"--tenant={local.tenant}",
            ),
        ]
    )


def _shell() -> str:
    return "fish" if Path(os.environ.get("SHELL", "")).name == "fish" else "sh"
