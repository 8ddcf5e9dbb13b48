"""The page: sections in order, each complete or with the reason why it is not."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from jinja2 import Environment, StrictUndefined

from eyelog.errors import EyelogError, warn
from eyelog.figures.axes import fit_width, own_figure
from eyelog.figures.style import WIDTHS_MM, inches, style
from eyelog.home import progress_line
from eyelog.reports.answer import PageOne, Sentence
from eyelog.reports.pictures import closing, figure_of, svg_of
from eyelog.reports.section_parts import Empty, Part, Picture

_BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=%|(?:h|min|s|deg|km|Hz)\b)")
_NEGATIVE: Final = re.compile(r"(?<![\w.:/-])-(?=[\d∞])")

# At this width the smallest text has 11 pixels on a phone of 390. Two such figures fit side by side
# on a screen and on A4, so that one drawing serves all three; page one has a wider one, too.
CARD_MM: Final = 77.5
LOWER: Final = 0.76  # a figure of half the width looks best, and takes less paper, if it is lower
CARD: Final[Mapping[str, float]] = MappingProxyType({"card": CARD_MM})
FIRST: Final[Mapping[str, float]] = MappingProxyType(
    {"wide": WIDTHS_MM["double"], "narrow": CARD_MM}
)
# Two figures on page one share the width as page.css divides it.
LEFT: Final[Mapping[str, float]] = MappingProxyType({"wide": 111.0, "narrow": CARD_MM})
RIGHT: Final[Mapping[str, float]] = MappingProxyType({"wide": 69.0, "narrow": CARD_MM})

LONGEST_WORD: Final = 40  # letters; as many wide ones fit beside the number of a printed page
LONGEST_FOOT: Final = 160  # letters; two lines

# The title of a section, and the call that makes it
Section = tuple[str, Callable[[], Part]]


def render(
    sections: Mapping[str, Section],
    *,
    title: str,
    about: str,
    dated: str | None,
    version: str,
    opening: Callable[[], PageOne] | None = None,
    appendix: Collection[str] = (),
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    sections : mapping of str to pairs
        By their keys, which are the anchors of the page.
    title, about : str
        The heading, and the line below it.
    dated : str, optional
        A line about when or for what the report was made.
    version : str
        The version of eyelog.
    opening : callable, optional
        Makes page one, which comes before the contents.
    appendix : collection of str
        The keys of the sections that are folded on a screen.
    """
    made = []
    with (
        style(),  # once for all figures: each would apply it several times
        progress_line(len(sections), "report", unit="section") as done,
    ):
        first = None if opening is None else _opening(opening)
        for key, section in sections.items():
            made.append(_section(key, *section))
            done()
    page: str = _template().render(
        title=title,
        about=about,
        dated=dated,
        version=version,
        style=_text("page.css"),
        sections=made,
        opening=first,
        appendix=appendix,
        foot=_css_text(f"{_brief(title)}; {about}"),
    )
    return page


@cache
def _template() -> Any:
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_unbroken)
    return environment.from_string(_text("page.html"))


def _unbroken(shown: Any) -> Any:
    """Return a text that never breaks between a number and its unit."""
    if not isinstance(shown, str) or hasattr(shown, "__html__"):
        return shown  # markup has sizes and scripts in it, not sentences
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", shown)


def _text(name: str) -> str:
    return files("eyelog.reports").joinpath(name).read_text("utf-8").strip()


def _brief(text: str) -> str:
    """Return a text for the foot of a printed page, where a long word would run over the number."""
    words = [_without_middle(word, LONGEST_WORD) for word in text.split(" ")]
    return _without_middle(" ".join(words), LONGEST_FOOT)


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
    """Return what the template shows of a section."""
    shown: dict[str, Any] = {"key": key, "title": title, "problem": ""}
    part: Part | None
    part, problem = _tried(make, f"the section {title!r}")
    if part is None:
        nothing = Part(findings=[])
        return shown | vars(nothing) | {"problem": f"{problem[:1].upper()}{problem[1:]}."}
    drawn = [_picture(f"{key}-{i}", picture) for i, picture in enumerate(part.pictures, 1)]
    findings = [_minus(finding) for finding in part.findings]
    made = {name: [*map(_table, getattr(part, name))] for name in ("tables", "files")}
    return shown | vars(part) | {"findings": findings, "pictures": drawn} | made


def _opening(make: Callable[[], PageOne]) -> dict[str, Any]:
    """Return what the template shows of page one."""
    made: PageOne | None
    made, problem = _tried(make, "page one")
    if made is None:
        return {"problem": f"{problem[:1].upper()}{problem[1:]}."}
    sentences = [Sentence(_minus(one.lead), _minus(one.rest)) for one in made.sentences]
    drawn = [_picture("glance", made.picture, widths=FIRST if made.beside is None else LEFT)]
    if made.beside is not None:
        drawn.append(_picture("beside", made.beside, widths=RIGHT))
    return vars(made) | {"problem": "", "sentences": sentences, "pictures": drawn}


def _picture(key: str, picture: Picture, *, widths: Mapping[str, float] = CARD) -> dict[str, Any]:
    """Return what the template shows of a figure, which is drawn at each width."""
    shown: dict[str, Any] = {"title": picture.title, "description": picture.description}
    drawn, problem = _tried(lambda: _drawn(key, picture, widths), f"the figure {picture.title!r}")
    if drawn is None:
        return shown | {"problem": f"This figure is not drawn: {problem}."}
    return shown | {"problem": "", "drawn": drawn}


def _drawn(key: str, picture: Picture, widths: Mapping[str, float]) -> dict[str, str]:
    with closing(figure_of(picture.draw())) as figure:
        figure.suptitle("")  # the page says above it who and when
        if widths is CARD:
            figure.set_figheight(LOWER * figure.get_figheight())
        heights = dict.fromkeys(widths, figure.get_figheight())
        if "narrow" in widths and own_figure(figure.axes[0]) is not None:
            # A legend of more lines would leave panels on a phone half as high.
            fit_width(figure, inches(widths["narrow"]))
            heights["narrow"] = figure.get_figheight()
        return {
            name: svg_of(
                figure,
                width_mm=width,
                height_in=heights[name],
                key=f"{key}-{name}",
                title=picture.title,
                description=picture.description,
            )
            for name, width in widths.items()
        }


def _table(make: Callable[[], Any]) -> Any:
    made, problem = _tried(make, "a table")
    if made is None:
        return {"problem": f"A table is left out: {problem}."}
    return replace(made, rows=[[_minus(cell) for cell in row] for row in made.rows])


def _minus(text: str) -> str:
    """Return a text with a minus sign, as wide as a digit, before negative numbers."""
    return _NEGATIVE.sub("\N{MINUS SIGN}", text)


def _tried(make: Callable[[], Any], what: str) -> tuple[Any, str]:
    """Return the result of a call and no problem, or None and why it has no result."""
    try:
        return make(), ""
    except (Empty, EyelogError) as reason:
        return None, str(reason).rstrip(".")
    except Exception as fault:  # noqa: BLE001 - one broken part must not take the report with it
        problem = f"{type(fault).__name__}: {fault}"
        warn(f"the report lacks {what}: {problem}")
        return None, f"it failed ({problem}), which is a bug in eyelog: please report it"
