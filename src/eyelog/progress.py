"""One line on stderr that shows how far a long job has got and how long it will take."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["in_terminal", "progress_line", "wanted"]

DELAY_SECONDS: Final = 1.0  # a shorter job shows no line


def in_terminal() -> bool:
    """Return whether stderr is a terminal, where a line can disappear again."""
    return bool(sys.stderr and sys.stderr.isatty())


def wanted(choice: bool | None) -> bool:
    """Return whether to show progress: as chosen, otherwise in a terminal and in a notebook."""
    if choice is not None:
        return choice
    return in_terminal() or _in_notebook()


def _in_notebook() -> bool:
    """Return whether this runs in a Jupyter kernel, without importing anything."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def progress_line(
    total: int, label: str, *, unit: str = "day", choice: bool | None = None
) -> Iterator[Callable[..., None]]:
    """Yield a function to call after each part of a job; the line disappears at the end.

    Parameters
    ----------
    total : int
        The number of parts.
    label : str
        The text in front.
    unit : str
        What one part is. ``"B"`` counts bytes, and is shown as kB, MB and so on.
    choice : bool, optional
        True shows the line at once, False never; by default it appears after a second, in a
        terminal or a notebook.

    Yields
    ------
    function
        Takes the number of parts done since the last call, by default one.
    """
    if not wanted(choice):
        yield lambda _=1: None
        return
    from tqdm import tqdm

    # Plain text in a notebook too: the widget needs a package that may be missing.
    with tqdm(
        total=total,
        desc=label,
        unit=unit,
        unit_scale=unit == "B",
        file=sys.stderr,
        leave=False,
        delay=0.0 if choice else DELAY_SECONDS,
    ) as bar:
        yield lambda parts=1: bar.update(parts) and None
