"""The catalogue alone names fields: analysis and figures ask it for the fields of a part."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.logs import LOGS, columns
from support.paths import ROOT

SOURCE = ROOT / "src" / "eyelog"
NAMES = {name for log in LOGS for name in columns(log)}

FILES = [
    path
    for room in ("analysis", "figures", "judge", "measure")
    for path in sorted((SOURCE / room).rglob("*.py"))
]

# Words that happen to be a field's name too.
OTHER_MEANINGS = {
    ("measure/__init__.py", "posture"): "the namespace eyelog.posture",
    ("measure/posture.py", "zone"): "the index of the table of posture.zones",
}


def literals(code: str) -> Iterator[tuple[int, str]]:
    """Yield each string of a module with its line, but not docstrings and other bare strings."""
    tree = ast.parse(code)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


def named_fields(path: Path) -> list[tuple[int, str]]:
    return [(line, text) for line, text in literals(path.read_text("utf-8")) if text in NAMES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_code_of_analysis_and_figures_names_a_field(path: Path) -> None:
    room = path.relative_to(SOURCE).as_posix()
    found = [
        (line, name) for line, name in named_fields(path) if (room, name) not in OTHER_MEANINGS
    ]
    assert not found, "ask eyelog.catalogue.role for these fields"


def test_every_other_meaning_is_still_in_use() -> None:
    assert {
        (path.relative_to(SOURCE).as_posix(), name)
        for path in FILES
        for _, name in named_fields(path)
    } == set(OTHER_MEANINGS)


def test_a_field_is_seen_in_code_and_not_in_a_docstring() -> None:
    code = '"""stp"""\nSTEPS = ("stp",)\ndef f(x="bk_n"):\n    "cad"\n    return f"{x}bki_n"\n'
    assert sorted(literals(code)) == [(2, "stp"), (3, "bk_n"), (5, "bki_n")]
