"""What tab completion offers is what is public, and nothing else."""

import ast
from pathlib import Path

import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter

import eyelog as el
from support.public import NAMESPACES, resolve

STUB = Path(el.__file__).with_name("__init__.pyi")


def names_of_the_stub() -> list[str]:
    tree = ast.parse(STUB.read_text())
    return [
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def test_dir_and_all_hold_the_names_of_the_stub() -> None:
    assert sorted(el.__all__) == sorted(names_of_the_stub())
    assert dir(el) == sorted(el.__all__)


def test_every_name_that_the_stub_declares_is_there() -> None:
    declared = [
        node.target.id
        for node in ast.parse(STUB.read_text()).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    assert [name for name in declared if not hasattr(el, name)] == []


@pytest.mark.parametrize("name", NAMESPACES)
def test_dir_of_a_namespace_holds_its_public_names(name: str) -> None:
    room = getattr(el, name)
    assert dir(room) == sorted(room.__all__)
    assert [public for public in room.__all__ if not hasattr(room, public)] == []


@pytest.mark.parametrize("jedi", [False, True], ids=["by running", "by reading"])
@pytest.mark.parametrize("name", ["", *NAMESPACES])
def test_a_notebook_completes_to_the_public_names(name: str, jedi: bool) -> None:
    completer = IPCompleter(shell=None, namespace={"el": el}, use_jedi=jedi)
    completer.disable_matchers = ["IPCompleter.magic_matcher"]  # it asks a running shell
    typed = f"el.{name}." if name else "el."
    with provisionalcompleter():
        offered = [c.text.removeprefix(".") for c in completer.completions(typed, len(typed))]
    expected = resolve(name).__all__ if name else el.__all__
    assert sorted(offered) == sorted(expected)
