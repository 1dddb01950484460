"""Which api-versions there are."""

import pytest

from forewarn.wire.versions import EVENT_VERSIONS, INSTANCE_VERSIONS, event_version, newest, versions_document
from tests.wire.goldens import golden


def test_scheduled_events_have_seven_versions_of_their_own() -> None:
    assert EVENT_VERSIONS == (
        "2017-03-01",
        "2017-08-01",
        "2017-11-01",
        "2019-01-01",
        "2019-04-01",
        "2019-08-01",
        "2020-07-01",
    )
    assert not {"2017-11-01", "2019-01-01", "2019-04-01", "2020-07-01"} & set(INSTANCE_VERSIONS)


@pytest.mark.parametrize("versions", [EVENT_VERSIONS, INSTANCE_VERSIONS])
def test_versions_are_listed_once_and_in_order(versions: tuple[str, ...]) -> None:
    assert list(versions) == sorted(set(versions))


@pytest.mark.parametrize("name", EVENT_VERSIONS)
def test_a_version_is_found_by_its_name(name: str) -> None:
    found = event_version(name)

    assert found is not None
    assert found.name == name
    assert found.post_needs_header == (name != "2017-03-01")


@pytest.mark.parametrize("name", ["latest", "Latest", "LATEST"])
def test_latest_is_the_first_version(name: str) -> None:
    assert event_version(name) is event_version("2017-03-01")


@pytest.mark.parametrize("name", ["", "2021-02-01", "2020-07-01 ", "2020-7-1", "２０２０-07-01", "newest"])
def test_other_versions_are_unknown(name: str) -> None:
    assert event_version(name) is None


def test_an_error_names_the_newest_three_newest_first() -> None:
    assert newest(EVENT_VERSIONS) == ["2020-07-01", "2019-08-01", "2019-04-01"]


def test_the_list_of_versions_is_that_of_the_instance_metadata() -> None:
    assert versions_document() == golden("metadata/versions.json")
