"""One line on stderr that shows the progress of a long run, with an estimate of its end."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["progress_line", "wanted"]

DELAY_SECONDS: Final = 1.0  # a shorter run shows no line


def wanted(choice: bool | None) -> bool:
    """Return whether to show progress: as chosen, else in a terminal and in a notebook."""
    if choice is not None:
        return choice
    return bool(sys.stderr and sys.stderr.isatty()) or _in_notebook()


def _in_notebook() -> bool:
    """Return whether this runs in a Jupyter kernel, without importing anything."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def progress_line(
    total: int, label: str, *, choice: bool | None, unit: str = "day"
) -> Iterator[Callable[[], None]]:
    """Give a function to call after each of `total` units; the line disappears at the end.

    Parameters
    ----------
    total : int
        The number of units.
    label : str
        The text in front.
    choice : bool, optional
        True shows the line at once, False never; by default it appears after a second, in a
        terminal or a notebook.
    unit : str
        What is counted.
    """
    if not wanted(choice):
        yield lambda: None
        return
    from tqdm import tqdm

    # Plain text in a notebook too: the widget needs a package that may be missing.
    delay = 0.0 if choice else DELAY_SECONDS
    with tqdm(total=total, desc=label, unit=unit, file=sys.stderr, leave=False, delay=delay) as bar:
        yield lambda: bar.update() and None
