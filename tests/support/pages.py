"""The Python on a page of the documentation."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def python_blocks(page: Path) -> list[str]:
    """Return the blocks of Python of a page, in order."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def run_blocks(page: Path, blocks: Iterable[str]) -> dict[str, Any]:
    """Run blocks one after the other, as a reader does, and return the names they leave."""
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)
    return names
