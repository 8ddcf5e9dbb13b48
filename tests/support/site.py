"""The pages of the documentation site that people write, and what is on them."""

import re
from pathlib import Path

from support.paths import ROOT

DOCS = ROOT / "docs"
MADE = ("_build", "_results", "figures", "reference/api", "reference/made")
WRITTEN = sorted(
    path
    for path in DOCS.rglob("*.md")
    if not any(path.is_relative_to(DOCS / folder) for folder in MADE)
)


def page_id(path: Path) -> str:
    """Return the name of a page, as in its address."""
    return str(path.relative_to(DOCS).with_suffix(""))


def title_of(path: Path) -> str:
    """Return the title of a page, without marks."""
    return re.sub(r"[`*]", "", path.read_text().splitlines()[0].removeprefix("# "))
