"""The fonts of eyelog's figures: those that journals ask for, and others for letters they lack."""

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

from matplotlib import font_manager
from matplotlib.font_manager import FontEntry
from matplotlib.ft2font import FT2Font

from eyelog.errors import EyelogWarning

__all__ = [
    "families",
    "find_letters",
    "letters_missed",
    "say_that_letters_are_missing",
    "say_that_the_font_is_replaced",
]

# What journals ask for, and the free font of the same widths.
WANTED: Final = ("Helvetica", "Helvetica Neue", "Arial", "Liberation Sans")
ALWAYS: Final = "DejaVu Sans"  # comes with matplotlib
# East Asian characters, for the names of wearers, from the fonts made for them.
EAST_ASIAN: Final = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
    "IPAexGothic",
    "IPAGothic",
    "WenQuanYi Zen Hei",
)
EAST_ASIAN_LETTERS: Final = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]|"
                                       "[\uff00-\uffef\U00020000-\U0003ffff]")  # fmt: skip
NO_GLYPH: Final = re.compile(r"Glyph (\d+) ")
REGULAR: Final = 400


@cache
def _preferred() -> tuple[str, ...]:
    """Return the best family that is installed, the one that always is, and one for East Asia."""
    installed = set(font_manager.get_font_names())
    best = [name for name in WANTED if name in installed][:1]
    east = [name for name in EAST_ASIAN if name in installed][:1]
    return (*best, ALWAYS, *east)


_found: Final[dict[str, str | None]] = {}
"""The family in which a letter was found that the preferred ones lack; None if no font has it."""


def families() -> list[str]:
    """Return the families to draw in, best first."""
    others = [family for family in _found.values() if family is not None]
    return list(dict.fromkeys((*_preferred(), *others)))


def find_letters(letters: Iterable[str]) -> bool:
    """Look for letters among all installed fonts; return whether `families` has a new one."""
    before = families()
    wanted = {letter for letter in letters if letter not in _found}
    if wanted:
        installed = font_manager.fontManager.ttflist
        for entry in sorted(
            # A last-resort font has a box for every letter.
            (one for one in installed if "LastResort" not in one.name.replace(" ", "")),
            key=_plainest,
        ):
            has = wanted & {chr(code) for code in FT2Font(entry.fname).get_charmap()}
            _found.update(dict.fromkeys(has, entry.name))
            wanted -= has
            if not wanted:
                break
        _found.update(dict.fromkeys(wanted))
    return families() != before


def _plainest(entry: FontEntry) -> tuple[bool, bool, str]:
    """Return the sort key: upright and regular fonts first, then those without serifs."""
    upright = entry.style == "normal" and entry.weight in ("normal", "regular", REGULAR)
    return not upright, "Sans" not in entry.name, entry.name


@contextmanager
def letters_missed() -> Iterator[set[str]]:
    """Collect the letters that cannot be drawn, instead of one warning for each."""
    missed: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message="Glyph ", category=UserWarning)
        yield missed
    for one in caught:
        match = NO_GLYPH.match(str(one.message))
        if match:
            missed.add(chr(int(match[1])))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def say_that_letters_are_missing(letters: Iterable[str]) -> None:
    """Name letters that no installed font has, and a package that has them, in one warning."""
    if text := "".join(sorted(letters)):
        _say_missing(text)


@cache
def _say_missing(text: str) -> None:
    """Warn once of the same letters, as a figure is often drawn and saved several times."""
    package = "fonts-noto-cjk" if EAST_ASIAN_LETTERS.search(text) else "fonts-noto-core"
    warnings.warn(
        f"no installed font has {text!r}, which the figure shows as boxes: install a font that has,"
        f" on Debian or Ubuntu the package {package}",
        EyelogWarning,
        stacklevel=2,
    )


@cache
def say_that_the_font_is_replaced() -> None:
    """Warn once that a figure is in the font of matplotlib, because none of ours is installed."""
    if _preferred()[0] == ALWAYS:
        warnings.warn(
            f"neither Helvetica nor Arial is installed, so figures are in {ALWAYS}: install one, or"
            " Liberation Sans, which is as wide (on Debian or Ubuntu the package fonts-liberation)",
            EyelogWarning,
            stacklevel=2,
        )
