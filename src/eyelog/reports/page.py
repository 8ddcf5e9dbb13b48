"""The page: parts in order, each complete or with the reason why it is not, as one HTML file."""

import base64
import os
import re
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from eyelog import __version__
from eyelog.errors import ConfigurationError, EyelogError, EyelogWarning, warn
from eyelog.figures.axes import fit_width, sheet_of
from eyelog.figures.style import WIDTHS_MM, inches, style
from eyelog.home import output_file, path_of, progress_line
from eyelog.reports import words
from eyelog.reports.parts import Empty, PageOne, Part, Picture, csv_text
from eyelog.reports.pictures import svg_of

_BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=%|(?:h|min|s|deg|km|Hz)\b)")
_NEGATIVE: Final = re.compile(r"(?<![\w.:/-])-(?=[\d∞])")

# At this width the smallest text has 11 pixels on a phone of 390. Two such figures fit side by side
# on a screen and on A4, so that one drawing serves all three; page one has a wider one, too. Two
# figures on page one share the width as page.css divides it.
CARD_MM: Final = 77.5
LOWER: Final = 0.76  # a figure of half the width looks best, and takes less paper, if it is lower
FIRST_MM: Final[Mapping[int, tuple[float, ...]]] = MappingProxyType(
    {1: (WIDTHS_MM["double"],), 2: (111.0, 69.0)}
)
# The sections that a reader looks up: folded on a screen, in full at the end of a print
APPENDIX: Final = ("trust", "method")
LONGEST_WORD: Final = 40  # letters; as many wide ones fit beside the number of a printed page
LONGEST_FOOT: Final = 160  # letters; two lines

# The title of a section, and the call that makes it
Section = tuple[str, Callable[[], Part]]


def page_file(path: str | os.PathLike[str], *, what: str) -> Path:
    """Return the file to write, or raise `ConfigurationError` if no page can be written there."""
    target = path_of(path, what=what)
    if target.suffix not in (".html", ".htm"):
        raise ConfigurationError(f"cannot write {target.name}: end its name with .html")
    if not target.parent.is_dir():
        raise ConfigurationError(f"no folder {target.parent} to write {target.name} into: make it")
    return target


def check_texts(**texts: str | None) -> None:
    """Raise `ConfigurationError` unless the argument is text."""
    for what, text in texts.items():
        if text is not None and not (isinstance(text, str) and text.strip()):
            raise ConfigurationError(f"{what} must be text, such as 'Person 7', not {text!r}")


def write_page(
    target: Path,
    *,
    title: str,
    about: str,
    dated: str | None,
    opening: Callable[[], PageOne] | None,
    sections: Mapping[str, Section],
    method: Callable[[list[str]], Part],
) -> Path:
    """Put a page in place as a whole, readable by its owner only; return the file.

    Parameters
    ----------
    target : Path
        The file.
    title, about : str
        The heading, and the line below it.
    dated : str, optional
        A line about when or for what the report was made.
    opening : callable, optional
        Makes page one, which comes before the contents.
    sections : mapping of str to pairs
        By their keys, which are the anchors of the page.
    method : callable
        Makes the section that closes a page with sections, of the warnings that the others gave.
    """
    made: list[dict[str, Any]] = []
    left_out: dict[str, list[str]] = {}
    with (
        warnings.catch_warnings(record=True) as caught,
        style(),  # once for all figures: each would apply it several times
        progress_line(len(sections) + bool(sections), "report", unit="section") as done,
    ):
        warnings.simplefilter("always", EyelogWarning)
        if sections:  # made last, after every section has reported what it lacks
            sections = {**sections, "method": ("Method", lambda: method(_notices(caught)))}
        first = None if opening is None else _opening(opening)
        for key, (name, make) in sections.items():
            try:
                made.append(_section(key, name, make))
            except Empty as reason:
                left_out.setdefault(str(reason).rstrip("."), []).append(name)
            done()
    for one in caught:
        if not issubclass(one.category, EyelogWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    for text in _notices(caught):
        warn(text)
    # A long word would run over the number of a printed page.
    brief = " ".join(_without_middle(word, LONGEST_WORD) for word in title.split(" "))
    page: str = _template().render(
        title=title,
        about=about,
        dated=dated,
        version=__version__,
        style=words.text_of("page.css"),
        sections=made,
        left_out=left_out,
        opening=first,
        appendix=APPENDIX,
        foot=_css_text(f"{_without_middle(brief, LONGEST_FOOT)}; {about}"),
    )
    with output_file(target) as sink:
        sink.write(page.encode())
    return target


def _notices(caught: list[warnings.WarningMessage]) -> list[str]:
    """Return the warnings of eyelog, each once."""
    own = (str(one.message) for one in caught if issubclass(one.category, EyelogWarning))
    return list(dict.fromkeys(own))


@cache
def _template() -> Any:
    environment = words.templates(autoescape=True, finalize=_unbroken)
    # A minus sign, as wide as a digit, stands before negative numbers.
    minus = partial(_NEGATIVE.sub, "\N{MINUS SIGN}")
    environment.filters |= {"minus": minus, "capital": words.capital, "link": _data_url}
    return environment.get_template("page.html")


def _data_url(text: str, kind: str) -> str:
    """Return a text as the address of a link to download it, so that no server is needed."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"


def _unbroken(shown: Any) -> Any:
    """Return a text that never breaks between a number and its unit."""
    if not isinstance(shown, str) or hasattr(shown, "__html__"):
        return shown  # markup has sizes and scripts in it, not sentences
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", shown)


def _without_middle(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}\N{HORIZONTAL ELLIPSIS}{text[-(most // 2) :]}"


def _css_text(text: str) -> str:
    """Return a text for a string in CSS: names come from data and must not end it."""
    return "".join(
        char if char.isascii() and (char.isalnum() or char == " ") else f"\\{ord(char):x} "
        for char in text
    )


def _section(key: str, title: str, make: Callable[[], Part]) -> dict[str, Any]:
    """Return what the template shows of a section, or raise `Empty` if it has nothing to show."""
    part, problem = _tried(make, f"the section {title!r}", empty=Empty)
    shown: dict[str, Any] = {
        "key": key,
        "title": title,
        "problem": problem,
        **vars(part or Part(findings=[])),
    }
    shown["pictures"] = [_picture(f"{key}-{i}", one) for i, one in enumerate(shown["pictures"], 1)]
    shown["tables"] = [_tried(one, "a table") for one in shown["tables"]]
    files = {table.file: table.csv for table, problem in shown["tables"] if not problem}
    for name, one in shown["files"].items():
        table, problem = _tried(one, f"the file {name}")
        if not problem:
            files[f"{name}.csv"] = csv_text(table)
    shown["files"] = files
    return shown


def _opening(make: Callable[[], PageOne]) -> dict[str, Any]:
    """Return what the template shows of page one."""
    made, problem = _tried(make, "page one")
    if made is None:
        return {"problem": problem}
    drawn = zip(("glance", "beside"), made.pictures, FIRST_MM[len(made.pictures)], strict=False)
    pictures = [_picture(key, one, {"wide": wide, "narrow": CARD_MM}) for key, one, wide in drawn]
    shown: dict[str, Any] = {**vars(made), "problem": "", "pictures": pictures, "table": None}
    if made.numbers is not None and not pictures[0]["problem"]:
        shown["table"], _ = _tried(made.numbers, "the table of page one")
    return shown


def _picture(key: str, picture: Picture, widths: Mapping[str, float] | None = None) -> Any:
    """Return what the template shows of a figure, which is drawn at each width."""
    drawn, problem = _tried(lambda: _drawn(key, picture, widths), f"the figure {picture.title!r}")
    return vars(picture) | {"problem": problem, "drawn": drawn}


def _drawn(key: str, picture: Picture, widths: Mapping[str, float] | None) -> dict[str, str]:
    figure: Figure = np.ravel(picture.draw())[0].figure.figure
    try:
        figure.suptitle("")  # the page says above it who and when
        if widths is None:
            widths = {"card": CARD_MM}
            figure.set_figheight(LOWER * figure.get_figheight())
        heights = dict.fromkeys(widths, figure.get_figheight())
        if "narrow" in widths and sheet_of(figure) is not None:
            # A legend of more lines would leave panels on a phone half as high.
            fit_width(figure, inches(widths["narrow"]))
            heights["narrow"] = figure.get_figheight()
        about = {"title": picture.title, "description": picture.description}
        return {
            name: svg_of(
                figure, width_mm=width, height_in=heights[name], key=f"{key}-{name}", **about
            )
            for name, width in widths.items()
        }
    finally:
        plt.close(figure)  # pyplot keeps the figures that it has made


def _tried(
    make: Callable[[], Any], what: str, *, empty: type[Exception] | tuple[()] = ()
) -> tuple[Any, str]:
    """Return the result of a call and no problem, or None and why it has no result."""
    try:
        return make(), ""
    except empty:
        raise
    except (Empty, EyelogError) as reason:
        return None, str(reason).rstrip(".")
    except Exception as fault:  # noqa: BLE001 - one broken part must not take the report with it
        problem = f"{type(fault).__name__}: {fault}"
        warn(f"the report lacks {what}: {problem}")
        return None, f"it failed ({problem}), which is a bug in eyelog: please report it"
