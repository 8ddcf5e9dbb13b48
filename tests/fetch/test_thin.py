"""A fetch stays thin: from the service to a frame it passes few functions, in few files."""

import sys
import threading
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from types import FrameType

from support import faulty
from support.fetching import client_of
from support.paged import Paged

SOURCE = str(files("eyelog"))


def passed(work: Callable[[], object]) -> set[tuple[str, str]]:
    """Return the named functions of eyelog that run, each with its file."""
    met: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        inside = event == "call" and code.co_filename.startswith(SOURCE)
        if inside and not code.co_name.startswith("<"):
            met.add((code.co_filename.removeprefix(SOURCE), code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return met


def test_a_day_passes_few_functions_from_the_service_and_fewer_from_the_cache(home: Path) -> None:
    with (
        faulty.server(Paged(every=600, size=50)) as there,
        client_of(there, home, tz="Europe/Berlin") as client,
    ):
        client.standard_mode_logs("2024-03-01", "2024-03-01")  # what is read once: the catalogue

        def fetch() -> object:
            return client.standard_mode_logs("2024-03-02", "2024-03-02")

        from_service, from_cache = passed(fetch), passed(fetch)
        assert there.count() == 6
    assert len(from_service) <= 50, sorted(from_service)
    assert len({file for file, _ in from_service}) <= 9
    assert len(from_cache) <= 30, sorted(from_cache)
