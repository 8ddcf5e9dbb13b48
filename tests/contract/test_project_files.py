"""The files that describe the project agree with one another."""

import tomllib
from typing import Any

import pytest
import yaml

import eyelog
from support.paths import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
MAP = (ROOT / "docs" / "house.md").read_text()


@pytest.fixture
def citation() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    return loaded


def test_the_citation_states_what_the_package_states(citation: dict[str, Any]) -> None:
    assert citation["title"] == PROJECT["name"]
    assert citation["version"] == eyelog.__version__
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]
    assert citation["keywords"] == PROJECT["keywords"]


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


def test_the_map_names_rooms_that_are_there() -> None:
    source = ROOT / "src" / "eyelog"
    rooms = {
        str(path.parent.relative_to(source))
        for path in source.rglob("__init__.py")
        if path.parent != source
    }
    plan = MAP[MAP.index("## The plan") : MAP.index("## The layers")]
    named = {f"analysis/{name}" for name in eyelog.__all__ if f"`{name}/`" in plan} & rooms
    named |= {room for room in rooms if f"`{room}/`" in plan}
    assert rooms == named
    for file in source.glob("*.py"):
        assert f"`{file.name}`" in plan or file.name == "__main__.py"


@pytest.mark.parametrize(("container", "block"), [("eyelog", 0), ("eyelog.analysis", 1)])
def test_the_map_shows_the_layers_that_are_enforced(container: str, block: int) -> None:
    section = MAP[MAP.index("## The layers") : MAP.index("## The laws")]
    blocks = [part for part in section.split("\n\n") if part.startswith("    ")]
    enforced = [
        contract["layers"]
        for contract in PYPROJECT["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == [container]
    ]
    assert [[line.strip() for line in blocks[block].splitlines()]] == enforced
