"""What a text cites: eyelog itself and the literature of `literature.json`, as text and BibTeX.

Each source is an item of CSL-JSON, which reference managers read. A text cites as pandoc does:
``[@garwood1936]``, or ``[@witting1990; @vansomeren1999]``.
"""

import importlib.metadata
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from eyelog import __version__

# An item of CSL-JSON
Source = Mapping[str, Any]

SOFTWARE: Final = "eyelog"
# The day of the release that this version is, or follows
RELEASED: Final = (2026, 11, 23)

_CITED: Final = re.compile(r" ?\[(@[^\]]+)\]")
_RANGE: Final = re.compile(r"(?<=\d)-(?=\d)")
_EN_DASH: Final = "\N{EN DASH}"
_TEX: Final = re.compile(r"([&%#_$])")
_KINDS: Final = MappingProxyType({"article-journal": "article", "book": "book", "software": "misc"})
_TEX_FIELDS: Final = MappingProxyType(
    {
        "container-title": "journal",
        "publisher": "publisher",
        "volume": "volume",
        "issue": "number",
        "page": "pages",
        "DOI": "doi",
    }
)


@cache
def _literature() -> Mapping[str, Source]:
    items = json.loads(files("eyelog.reports").joinpath("literature.json").read_text("utf-8"))
    about = importlib.metadata.metadata("eyelog")
    software = {
        "id": SOFTWARE,
        "type": "software",
        "author": [{"literal": about["Author"]}],
        "issued": {"date-parts": [list(RELEASED)]},
        "title": about["Name"],
        "version": __version__,
        "license": about["License-Expression"],
    }
    return MappingProxyType({item["id"]: item for item in [software, *items]})


def source(key: str) -> Source:
    """Return eyelog itself, or an item of the literature; `KeyError` if there is none."""
    return _literature()[key]


@dataclass(frozen=True)
class CitedText:
    """Paragraphs to paste, and the sources that they cite, in the order of the text."""

    paragraphs: list[str]
    sources: list[Source]

    @property
    def references(self) -> list[str]:
        """The sources as a list of references, by author."""
        return sorted((_plain(item) for item in self.sources), key=str.casefold)

    @property
    def brief(self) -> list[str]:
        """The sources by author and place, without titles, for a page that has the BibTeX too."""
        named = (
            f"{_author_year(item)}, {_place(item)}".removesuffix(", ") for item in self.sources
        )
        return sorted(named, key=str.casefold)

    @property
    def bibtex(self) -> str:
        """The sources as entries that every style of BibTeX knows."""
        return "\n\n".join(map(_entry, self.sources)) + "\n"


def cited_text(*paragraphs: str) -> CitedText:
    """Return paragraphs with their sources by author and year; empty ones are left out."""
    keys: dict[str, None] = {}

    def named(match: re.Match[str]) -> str:
        keys_here = [key.strip().removeprefix("@") for key in match[1].split(";")]
        keys.update(dict.fromkeys(keys_here))
        return f" ({'; '.join(_author_year(source(key)) for key in keys_here)})"

    made = [_CITED.sub(named, text.strip()) for text in paragraphs if text.strip()]
    return CitedText(made, [source(key) for key in keys])


def _plain(item: Source) -> str:
    """Return a source as one line of a list of references."""
    title = item["title"]
    if item["type"] == "software":
        title += f" (Version {item['version']}) [Computer software]"
    place = _place(item)
    reference = f"{_authors(item)} ({_year(item)}). {title}{'' if title[-1] == '?' else '.'}"
    reference += f" {place}." if place else ""
    return f"{reference} https://doi.org/{item['DOI']}" if "DOI" in item else reference


def _place(item: Source) -> str:
    issue = f"({item['issue']})" if "issue" in item else ""
    where = item.get("container-title") or item.get("publisher")
    place = ", ".join(filter(None, [where, f"{item.get('volume', '')}{issue}", item.get("page")]))
    return _RANGE.sub(_EN_DASH, place)


def _entry(item: Source) -> str:
    fields = {
        "author": " and ".join(map(_tex_name, item["author"])),
        "title": f"{{{_tex(item['title'])}}}",  # braces within braces keep capitals
        "year": str(_year(item)),
    }
    for name, called in _TEX_FIELDS.items():
        if name in item:
            value = str(item[name])
            fields[called] = value if name == "DOI" else _tex(_RANGE.sub("--", value))
    if item["type"] == "software":
        fields |= {"version": item["version"], "howpublished": "Computer software"}
        fields["note"] = f"Version {item['version']}"
    lines = [f"  {name:12} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{_KINDS[item['type']]}{{{item['id']},", *lines, "}"])


def _tex(text: str) -> str:
    return _TEX.sub(r"\\\1", text)


def _tex_name(author: Mapping[str, str]) -> str:
    if "literal" in author:
        return f"{{{_tex(author['literal'])}}}"
    return f"{{{author['family']}}}, {author['given']}"


def _year(item: Source) -> int:
    return int(item["issued"]["date-parts"][0][0])


def _authors(item: Source) -> str:
    names = [
        author.get("literal") or f"{author['family']}, {author['given']}"
        for author in item["author"]
    ]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"


def _author_year(item: Source) -> str:
    names = [author.get("literal") or author["family"] for author in item["author"]]
    authors = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    return f"{authors}, {_year(item)}"
