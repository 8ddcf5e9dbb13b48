"""Fixtures and settings of the whole suite."""

import gc
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import HealthCheck, settings

mpl.use("Agg")
os.environ["EYELOG_TZ"] = "UTC"  # also for fixtures that are older than a test
# The same examples in every run, so that a change is not refused for what it has not touched;
# EYELOG_EXPLORE=1000 looks for others, so many for each law.
explore = int(os.environ.get("EYELOG_EXPLORE", 0))
settings.register_profile(
    "eyelog",
    deadline=None,
    max_examples=explore or 25,
    derandomize=not explore,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("eyelog")

# A shell lets its background jobs ignore Ctrl-C, and their children would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Thousands of tests are collected and kept until the end: looking through them for garbage again
# and again takes a tenth of the time.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a slow test that does not say in a line why it is worth its time."""
    for item in items:
        if any(not mark.args for mark in item.iter_markers("slow")):
            raise pytest.UsageError(f"{item.nodeid} is slow: say why, @pytest.mark.slow('...')")


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


homes = itertools.count()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test its own EYELOG_HOME, days of UTC, and no other setting.

    The folder is not there yet: most tests need none, and to make one takes as long as many tests.
    """
    for name in list(os.environ):
        if name.startswith("EYELOG_"):
            monkeypatch.delenv(name)
    folder = tmp_path_factory.getbasetemp() / f"eyelog-home-{next(homes)}"
    monkeypatch.setenv("EYELOG_HOME", str(folder))
    monkeypatch.setenv("EYELOG_TZ", "UTC")  # stated, so that nothing needs to say it
    return folder


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:  # most tests draw nothing
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def within_one_hour() -> None:
    """Wait for the next hour if this one, and with it perhaps the day, ends within a minute.

    The service counts by full hours of the clock, and "today" is another day after midnight: what a
    test did before would not count after.
    """
    left_s = 3600 - time.time() % 3600
    if left_s < 60:
        time.sleep(left_s)
