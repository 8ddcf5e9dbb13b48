"""Sphinx: a report on the site, which a picture of its page one links to.

The report is written when the site is built. Its picture is made with Chromium, whenever the look
of page one has changed: ``PYTHONPATH=docs/_ext python -m eyelog_docs.example_report``.
"""

import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

import eyelog as el

__all__ = ["setup", "write"]

NAME: Final = "example-report.html"
PICTURE: Final = Path(__file__).parents[2] / "_static" / "report.png"
LOGS: Final = ("standard_mode_logs", "computed_data")
WIDE_PX, HIGH_PX = 1100, 1204  # down to the end of the picture of the week


def write(folder: Path) -> Path:
    """Write the report of a simulated fortnight, compared with the seven weeks before."""
    frames = [el.simulate("2026-08-31", 63, log=log, seed=4, tz="Asia/Tokyo") for log in LOGS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)
        return el.report(frames, folder / NAME, since="2026-10-19", name="Person 7")


def _write(app: Sphinx, fault: Exception | None) -> None:
    if fault is None and app.builder.format == "html":
        path = write(Path(app.outdir))
        path.chmod(0o644)  # a site is read by everyone


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main() -> None:
    """Make the picture of page one."""
    with tempfile.TemporaryDirectory() as folder:
        page = write(Path(folder))
        subprocess.run(
            [
                *("chromium", "--headless", "--no-sandbox", "--hide-scrollbars"),
                *(f"--window-size={WIDE_PX},{HIGH_PX}", f"--screenshot={PICTURE}"),
                page.as_uri(),
            ],
            check=True,
        )


if __name__ == "__main__":
    main()
