"""A dask scheduler, and one worker with the plugin for Spot machines.

`python -m tests.compatibility.dask_worker PACKAGE DIRECTORY`. Both are started by dask's own command, and the plugin is
registered as dask-cloudprovider's page shows it. It ends when the worker does, which is what the plugin makes it do.
"""

import os
import sys
from pathlib import Path

from tests.compatibility.launching import Together

ADDRESS = "tcp://127.0.0.1:8786"
REGISTER = f"""\
import dask.distributed
import dask_cloudprovider.azure

client = dask.distributed.Client({ADDRESS!r})
client.wait_for_workers(1)
client.register_plugin(dask_cloudprovider.azure.AzurePreemptibleWorkerPlugin())
"""


def main(package: Path, directory: Path) -> int:
    dask = package / "bin" / "dask"
    with Together(os.environ) as programs:
        programs.start(dask, "scheduler", "--host", ADDRESS, "--no-dashboard")
        worker = programs.start(
            dask, "worker", ADDRESS, "--nthreads", "1", "--no-dashboard", "--local-directory", directory
        )
        programs.run(package / "bin" / "python", "-c", REGISTER)
        return worker.wait()


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
