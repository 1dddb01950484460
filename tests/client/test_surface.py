"""What a program may use of the client."""

from forewarn import client


def test_the_surface_is_this_and_nothing_else() -> None:
    assert client.__all__ == [
        "Answer",
        "ClientError",
        "Document",
        "Event",
        "EventType",
        "HttpTransport",
        "Identity",
        "Instance",
        "Interrupted",
        "Judgement",
        "NoEndpoint",
        "Pace",
        "Patience",
        "Readiness",
        "Refused",
        "Request",
        "Retry",
        "ScheduledEvents",
        "ServerClock",
        "Status",
        "Transport",
        "Unreachable",
        "Unreadable",
        "Verdict",
        "is_about",
        "judge",
        "read_document",
    ]
    assert all(hasattr(client, name) for name in client.__all__)
