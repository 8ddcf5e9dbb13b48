"""Files for a service and the programs around it, as the documentation shows them."""

from pathlib import Path
from typing import Final

_TEMPLATES: Final = Path(__file__).with_name("templates")


def configuration(program: str) -> str:
    """Return the file for a program, with the paths and the name of the documentation."""
    return (_TEMPLATES / f"{program}.txt").read_text("utf-8")
