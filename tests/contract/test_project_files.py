"""The files that describe the project agree with one another."""

import json
import re
import tomllib
from importlib.resources import files
from typing import Any

import pytest
import yaml

import eyelog
from support.paths import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
MAP = (ROOT / "docs" / "house.md").read_text()
CHANGES = (ROOT / "CHANGELOG.md").read_text()
RELEASES = re.findall(r"^## (\S+) - (\S+)$", CHANGES, re.MULTILINE)


@pytest.fixture
def citation() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    return loaded


def test_the_citation_states_what_the_package_states(citation: dict[str, Any]) -> None:
    assert citation["title"] == PROJECT["name"]
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]
    assert citation["keywords"] == PROJECT["keywords"]


def test_the_citation_is_of_the_last_release(citation: dict[str, Any]) -> None:
    assert (citation["version"], str(citation["date-released"])) == RELEASES[0]


def test_the_version_is_the_last_release_or_the_one_in_progress() -> None:
    base, dev, _ = eyelog.__version__.partition(".dev")
    newest = f"## {base} (in progress)" if dev else f"## {base} - {RELEASES[0][1]}"
    assert newest == next(line for line in CHANGES.splitlines() if line.startswith("## "))


def test_the_address_of_the_repository_is_the_same_everywhere(citation: dict[str, Any]) -> None:
    assert PROJECT.get("urls", {}).get("Repository") == citation.get("repository-code")


def test_the_paper_cites_what_its_bibliography_has_as_the_methods_do() -> None:
    text, entries = ((ROOT / "paper" / name).read_text() for name in ("paper.md", "paper.bib"))
    cited = set(re.findall(r"@(\w+)", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),$", entries, re.MULTILINE))
    literature = json.loads(files("eyelog.reports").joinpath("literature.json").read_text("utf-8"))
    for item in literature:
        if item["id"] in cited:
            assert item["title"] in entries
            assert item.get("DOI", "") in entries


def test_the_citation_has_what_its_format_requires(citation: dict[str, Any]) -> None:
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["message"]


def test_the_hooks_download_nothing() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")


@pytest.mark.parametrize("package", ["eyelog", "eyelog_service"])
def test_the_map_names_rooms_that_are_there(package: str) -> None:
    source = ROOT / "src" / package
    rooms = {
        str(path.parent.relative_to(source))
        for path in source.rglob("__init__.py")
        if path.parent != source
    }
    plan = MAP[MAP.index("## The plan") : MAP.index("## The layers")]
    toolkit, service = plan.split("The rooms of `eyelog_service/`")
    table = toolkit if package == "eyelog" else service
    assert rooms == {room for room in rooms if f"`{room}/`" in table}


def test_the_map_names_the_files_outside_rooms() -> None:
    plan = MAP[MAP.index("## The plan") : MAP.index("## The layers")]
    for file in (ROOT / "src" / "eyelog").glob("*.py"):
        assert f"`{file.name}`" in plan or file.name == "__main__.py"


def test_the_map_shows_the_layers_that_are_enforced() -> None:
    section = MAP[MAP.index("## The layers") : MAP.index("## The laws")]
    (drawn,) = [part for part in section.split("\n\n") if part.startswith("    ")]
    (enforced,) = [
        contract["layers"]
        for contract in PYPROJECT["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == ["eyelog"]
    ]
    assert [line.strip() for line in drawn.splitlines()] == enforced
