"""Sphinx: write the pages that are made from the code, before any page is read."""

from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

from eyelog_docs.columns import columns_page
from eyelog_docs.command_line import command_line_page
from eyelog_docs.fields import field_page
from eyelog_docs.service_api import service_page

__all__ = ["pages", "setup"]

FOLDER: Final = Path("reference") / "made"


def pages() -> dict[str, str]:
    """Return the pages that are made, by name."""
    return {
        "computed-data": field_page("computed_data"),
        "standard-mode-logs": field_page("standard_mode_logs"),
        "columns": columns_page(),
        "command-line": command_line_page(),
        "service-api": service_page(),
    }


def _write(app: Sphinx) -> None:
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text() != text:  # what is the same is not read again
            path.write_text(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
