"""A worker of ai4s-jobq with one long job: `python -m tests.compatibility.jobq_worker PACKAGE AZURITE DIRECTORY`.

Its queue is in Azurite, Microsoft's own stand-in for Azure Storage, on loopback. The job is a shell command whose file
is there while it runs; it removes the file when it is told to stop, as a job that saves its state would.
"""

import os
import sys
from pathlib import Path

from tests.compatibility.launching import Together

WORK = "job-runs"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # Azurite's, public
CONNECTION = (
    f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={KEY};"
    "BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;"
)
JOB = "trap 'rm -f {file}; exit 0' TERM; touch {file}; while :; do sleep 0.2; done"


def main(package: Path, azurite: Path, directory: Path) -> int:
    environment = {
        **os.environ,
        "HOME": str(directory),  # it writes there
        "AZ_BATCH_TASK_ID": "task-1",  # without a variable of Azure Batch it does not ask for events
        "JOBQ_CONNECTION_STRING": CONNECTION,
    }
    jobq = (package / "bin" / "ai4s-jobq", "devstoreaccount1/jobs")
    storage = ("--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location", directory)
    with Together(environment) as programs:
        programs.start(azurite / "node_modules/.bin/azurite", *storage)
        waiting = "until printf '' 2>/dev/null >/dev/tcp/127.0.0.1/10001; do sleep 0.1; done"
        programs.run("bash", "-c", waiting)
        print(programs.run(*jobq, "push", "--command", JOB.format(file=directory / WORK)), flush=True)
        return programs.start(*jobq, "worker").wait()


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
