"""Computations side by side, on the cores that this process may use."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, TypeVar

import numpy as np

Made = TypeVar("Made")

# Numpy leaves the interpreter to other threads while it computes. In smaller tables calls take more
# of the time than computing, and a cohort computes its months on all cores already.
LEAST_VALUES: Final = 16_000_000
MOST_CORES: Final = 4  # more wait for the memory
LARGEST_KEPT: Final = 32 * 1024**2 - 64 * 1024  # glibc takes no notice of blocks above 32 MB


def on_cores(calls: Sequence[Callable[[], Made]], *, values: int) -> list[Made]:
    """Return what each of `calls` returns, in their order.

    Parameters
    ----------
    calls : sequence of callable
        May run at the same time, so none may write what another reads.
    values : int
        How many values they compute with. If there are few, the caller's thread computes them.
    """
    many = len(calls) > 1 and values >= LEAST_VALUES
    cores = min(usable_cores(), MOST_CORES) if many else 1
    if cores < 2:
        return [call() for call in calls]
    made: dict[int, Made] = {}
    places = iter(range(len(calls)))

    def work() -> None:
        for place in places:
            made[place] = calls[place]()

    # The caller's thread works too: glibc keeps memory that is freed there for the next column, and
    # gives it back to the system elsewhere.
    with ThreadPoolExecutor(cores - 1) as pool:
        # What the caller has set in numpy and `warnings` applies in the threads too.
        others = [pool.submit(copy_context().run, work) for _ in range(cores - 1)]
        work()
        for other in others:
            other.result()
    return [made[place] for place in range(len(calls))]


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def keep_freed_memory() -> None:
    """Make glibc keep what is freed, up to 64 MB, for the columns to come, in all of this process.

    It gives a column of more than 128 KB back to the system as soon as it is freed, and requests
    the next one again, page by page: a seventh of the CPU time of a month. It keeps blocks as large
    as the largest that was freed so far (mallopt(3), M_MMAP_THRESHOLD); this one is never touched,
    so it takes no memory. Other C libraries may behave differently.
    """
    np.empty(LARGEST_KEPT, np.uint8)
