"""Figures of what the control plane's metrics tell besides its own: the metadata service, the webhooks."""

from collections.abc import Iterator

from forewarn import imds
from forewarn.control.exposition import Family, single
from forewarn.grid.deliverer import Deliverer


def figures(server: imds.Server, deliverer: Deliverer) -> Iterator[Family]:
    yield single("forewarn_metadata_answers_total", "counter", "Answers of the metadata service.", server.answers)
    yield single(
        "forewarn_metadata_connections", "gauge", "Open connections to the metadata service.", server.connections
    )
    yield single("forewarn_metadata_parked", "gauge", "Requests parked until their document changes.", server.parked)
    tally = deliverer.tally
    outcomes = {"delivered": tally.delivered, "postponed": tally.postponed, "dropped": tally.dropped}
    samples = [({"outcome": name}, float(count)) for name, count in outcomes.items()]
    yield Family("forewarn_webhook_deliveries_total", "counter", "What came of telling webhooks of events.", samples)
