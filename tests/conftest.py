"""For all tests."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("forewarn", settings(), deadline=None)  # a busy machine breaks no law
settings.load_profile("forewarn")


def pytest_collection_finish() -> None:
    """Six thousand tests stay in memory: the collector need not walk over them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def state_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whoever runs the tests may have a Forewarn of their own running: its notes are not ours to read or write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        for name in ("FOREWARN_DATA", "FOREWARN_SERVER"):
            patch.delenv(name, raising=False)
        yield
