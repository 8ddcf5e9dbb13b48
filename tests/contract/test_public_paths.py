"""Docstrings, messages and pages name what a user can reach: public names and real commands."""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.parsers import commands
from support.paths import ROOT
from support.public import CLASSES, NAMESPACES, public_names, resolve
from support.site import WRITTEN

SOURCE = ROOT / "src"
# The settings file of the service is no path.
PATHS = re.compile(r"(?<![\w./])(?!eyelog\.toml\b)(?:eyelog|el)\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
CALLS = re.compile(r"`eyelog ([a-z-]+(?: [a-z-]+)*)[^`]*`")

NO_MESSAGE = {
    "cli.analyse": "the module that a command is loaded from",
    "cli.records": "the module that a command is loaded from",
    "log": "a key in the metadata of a Parquet file",
    "account": "a key in the metadata of a Parquet file",
    "catalogue": "a key in the metadata of a Parquet file",
    "version": "a key in the metadata of a Parquet file",
    "slot": "a key in the metadata of a Parquet file",
    "fetch": "the package that a page is read from, and the name of a logger",
    "judge": "the package that a data file is read from",
    "measure": "the package that a data file is read from",
    "reports": "the package that a data file is read from",
    "access": "the name of a logger",
    "service": "the name of a logger",
}

PAGES = [
    "README.md",
    "datasets/README.md",
    *(str(path.relative_to(ROOT)) for path in WRITTEN if path.stem != "house"),
]


def dead_paths(text: str) -> list[str]:
    """Return the paths in a text that lead to no public name."""
    dead = []
    for path in PATHS.findall(text):
        try:
            resolve(path)
        except AttributeError:
            dead.append(path)
    return dead


def dead_commands(text: str) -> list[str]:
    """Return the calls in a text, such as `eyelog archive verify`, of which no command is named."""
    return [call for call in CALLS.findall(text) if (call.split()[0],) not in commands()]


def docstrings() -> dict[str, str]:
    things = public_names() | {room: resolve(room) for room in NAMESPACES}
    return {name: inspect.getdoc(thing) or "" for name, thing in things.items()}


@pytest.mark.parametrize(("name", "text"), docstrings().items(), ids=docstrings())
def test_a_public_docstring_leads_to_public_names_and_real_commands(name: str, text: str) -> None:
    assert dead_paths(text) == []
    assert dead_commands(text) == []


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """Yield each string of a source file that is no docstring, with its line."""
    tree = ast.parse(path.read_text())
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and id(node) not in documentation:
            yield node.lineno, text


def test_a_message_leads_to_public_names_and_real_commands() -> None:
    dead = {
        (str(path.relative_to(SOURCE)), line, target)
        for path in SOURCE.rglob("*.py")
        for line, text in literals(path)
        for target in [*dead_paths(text), *dead_commands(text)]
        if target not in NO_MESSAGE
    }
    assert dead == set()


def cells(path: Path) -> str:
    notebook = json.loads(path.read_text())
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"])


@pytest.mark.parametrize("page", PAGES)
def test_a_page_leads_to_public_names_and_real_commands(page: str) -> None:
    text = (ROOT / page).read_text()
    if page == "docs/upgrade.md":  # what is gone stands in the first column of its table
        text = re.sub(r"^\| [^|]+ \|", "|", text, flags=re.MULTILINE)
    assert dead_paths(text) == []
    assert dead_commands(text) == []


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_notebook_uses_public_names(path: Path) -> None:
    text = cells(path)
    assert dead_paths(text) == []
    assert dead_commands(text) == []


@pytest.mark.parametrize(
    "path", ["analysis.daily", "blinks.gaps", "Client._walk", "daily.nothing", "clock.local_days"]
)
def test_a_private_path_is_noticed(path: str) -> None:
    assert dead_paths(f"see `eyelog.{path}`") == [path]


def test_the_methods_of_the_classes_are_looked_at() -> None:
    names = public_names()
    assert [room for room in CLASSES if not any(n.startswith(f"{room}.") for n in names)] == [
        "Application"
    ]
    assert {"Client.computed_data", "Archive.read", "Token.expired"} <= set(names)
