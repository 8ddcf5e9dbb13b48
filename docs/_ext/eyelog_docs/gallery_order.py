"""The order of scripts in the gallery: the overview first, then by name."""

from pathlib import Path

FIRST = "plot_overview.py"


class OverviewFirst:
    """A key for sphinx-gallery to sort the scripts of a section by."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str | Path) -> tuple[bool, str]:
        """Return what a script is sorted by."""
        name = Path(filename).name
        return name != FIRST, name

    def __repr__(self) -> str:  # sphinx compares settings of two builds by this
        return f"<{type(self).__name__}>"
