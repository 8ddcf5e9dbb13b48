"""One line on stderr that says how far a long fetch is."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["progress_line", "wanted"]

DELAY_SECONDS: Final = 1.0  # what is done sooner shows no line


def wanted(asked: bool | None) -> bool:
    """Return whether to show progress: as asked, else in a terminal and in a notebook."""
    if asked is not None:
        return asked
    return bool(sys.stderr and sys.stderr.isatty()) or _in_notebook()


def _in_notebook() -> bool:
    """Return whether this runs in a Jupyter kernel; nothing is imported to find out."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def progress_line(total: int, label: str, *, asked: bool | None) -> Iterator[Callable[[], None]]:
    """Give a function to call after each of `total` days; the line goes away at the end.

    Parameters
    ----------
    total : int
        How many days there are to do.
    label : str
        What stands in front.
    asked : bool, optional
        Shown at once if True, never if False; by default after a second, in a terminal and in a
        notebook.
    """
    if not wanted(asked):
        yield lambda: None
        return
    from tqdm import tqdm

    # Text also in a notebook: the widget needs a package that may not be there.
    delay = 0.0 if asked else DELAY_SECONDS
    with tqdm(
        total=total, desc=label, unit="day", file=sys.stderr, leave=False, delay=delay
    ) as bar:
        yield lambda: bar.update() and None
