"""What a text cites, as text and BibTeX."""

import json
import re
import tomllib
from importlib.resources import files

import pytest
import yaml

from eyelog import __version__
from eyelog.reports.literature import RELEASED, SOFTWARE, cited_text, source
from support.paths import ROOT

KEYS = [
    item["id"]
    for item in json.loads(files("eyelog.reports").joinpath("literature.json").read_text("utf-8"))
]
CFF = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_sources_stand_by_author_and_year_and_are_listed_in_order() -> None:
    text = cited_text("One [@blandaltman1999]. Two [@dall2013; @holm1979], and [@holm1979].", "")
    assert text.paragraphs == [
        "One (Bland & Altman, 1999). Two (Dall et al., 2013; Holm, 1979), and (Holm, 1979)."
    ]
    assert [item["id"] for item in text.sources] == ["blandaltman1999", "dall2013", "holm1979"]
    assert [line.split(",")[0] for line in text.references] == ["Bland", "Dall", "Holm"]


def test_a_reference_has_what_a_reader_needs_to_find_it() -> None:
    (line,) = cited_text("[@garwood1936]").references
    assert line == (
        "Garwood, F. (1936). Fiducial limits for the Poisson distribution. Biometrika,"
        " 28(3\N{EN DASH}4), 437\N{EN DASH}442. https://doi.org/10.1093/biomet/28.3-4.437"
    )


@pytest.mark.parametrize("key", [SOFTWARE, *KEYS])
def test_each_source_is_an_entry_with_balanced_braces_and_its_author(key: str) -> None:
    entry = cited_text(f"[@{key}]").bibtex
    kind, name = re.match(r"@(\w+)\{(\w+),\n", entry).groups()
    assert (kind in ("article", "book", "misc"), name) == (True, key)
    assert entry.count("{") == entry.count("}")
    assert not re.search(r"(?<!\\)[&%#]", entry)
    first = source(key)["author"][0]
    assert (first.get("family") or first["literal"]) in entry


def test_a_range_of_pages_has_the_dash_of_tex_and_a_name_keeps_its_hyphen() -> None:
    entry = cited_text("[@tudorlocke2018]").bibtex
    assert "pages        = {776--788}" in entry
    assert "{Tudor-Locke}, C. and {Han}, H." in entry


def test_eyelog_is_cited_as_its_own_metadata_say() -> None:
    item, project = source(SOFTWARE), tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert item["title"] == CFF["title"]
    assert item["version"] == CFF["version"] == __version__
    assert item["license"] == CFF["license"]
    assert item["author"] == [{"literal": project["project"]["authors"][0]["name"]}]
    assert str(CFF["date-released"]) == "-".join(f"{part:02d}" for part in RELEASED)
    dated = f"## {__version__} - {CFF['date-released']}"
    assert dated in (ROOT / "CHANGELOG.md").read_text().splitlines()
