"""Work on the columns of a long table in a few threads: numpy lets the others run meanwhile."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

__all__ = ["in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# Below this, a month of either log, threads cost more than they give; and a cohort, whose tasks are
# months, has a process per core already.
LEAST_ROWS: Final = 400_000
MOST_THREADS: Final = 4  # memory is read no faster by more


def in_threads(
    function: Callable[[Sequence[Item]], Result], items: Sequence[Item], *, rows: int
) -> list[Result]:
    """Return what a function returns for shares of the items, which cover all of them.

    Parameters
    ----------
    function : callable
        Takes some of the items, and shares no state with its other calls that it changes.
    items : sequence
        Columns, or whatever stands for them.
    rows : int
        The length of a column; only long ones are shared out.
    """
    share = 1 if rows < LEAST_ROWS else min(MOST_THREADS, os.cpu_count() or 1, len(items))
    if share <= 1:
        return [function(items)]
    with ThreadPoolExecutor(share) as pool:
        return list(pool.map(function, [items[at::share] for at in range(share)]))
