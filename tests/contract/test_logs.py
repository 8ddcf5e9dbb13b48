"""Where the logs differ, the catalogue says so, and nothing else asks for a log by its name."""

import ast

import pytest

from eyelog.catalogue import catalogue, known_logs, log_named, role
from support.logs import INTERVAL_SECONDS, LOGS
from support.paths import ROOT

SOURCE = ROOT / "src"
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "catalogue.py")
NAMED = {"COMPUTED_DATA", "STANDARD_MODE_LOGS", "CURRENT_DATA"}


def names_a_log(node: ast.expr) -> bool:
    """Return whether an expression is the name of a log, or a tuple or list of such names."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(names_a_log, node.elts))
    if isinstance(node, ast.Constant):
        return node.value in known_logs()
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in NAMED


def asks_by_name(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        # `COMPUTED_DATA in frames` asks which logs there are, not which of them one is.
        there = isinstance(node.ops[0], ast.In | ast.NotIn)
        return any(map(names_a_log, [*([] if there else [node.left]), *node.comparators]))
    if isinstance(node, ast.MatchValue):
        return names_a_log(node.value)
    return False


def test_no_file_but_the_catalogue_compares_the_name_of_a_log() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"  # type: ignore[attr-defined]
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if asks_by_name(node)
    ]
    assert found == []


def test_the_law_finds_what_it_forbids() -> None:
    for text in (
        "log == COMPUTED_DATA",
        "rows.log == catalogue.CURRENT_DATA",
        "'computed_data' != log",
        "log in (STANDARD_MODE_LOGS,)",
    ):
        assert any(map(asks_by_name, ast.walk(ast.parse(text))))
    assert not any(map(asks_by_name, ast.walk(ast.parse("log_named(log).states_seconds"))))


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_known_by_its_name_and_its_roles_are_those_of_its_fields(name: str) -> None:
    log = log_named(name)
    assert (log.name, log.interval_s) == (name, INTERVAL_SECONDS[name])
    fields = set(catalogue(name))
    for part in log.rate_roles:
        assert set(role(name, part)) <= fields
        assert role(name, part)
    for parts in log.time_roles.values():
        assert all(role(name, part) for part in parts)
    assert bool(role(name, "measured_s")) is log.states_seconds
    cleansings = {field.cleansing for field in catalogue(name).values()} - {"", None}
    assert (len(cleansings) == 2) is log.has_cleansings
