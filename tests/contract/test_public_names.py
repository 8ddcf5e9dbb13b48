"""Public names: tab completion, docstrings, messages and pages name them, and nothing else."""

import ast
import inspect
import json
import re
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import eyelog as el
from support.parsers import commands
from support.paths import ROOT
from support.public import CLASSES, NAMESPACES, public_names, resolve
from support.site import WRITTEN

STUB = ROOT / "src" / "eyelog" / "__init__.pyi"


def names_of_the_stub() -> list[str]:
    tree = ast.parse(STUB.read_text())
    return [
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def test_dir_and_all_hold_the_names_of_the_stub() -> None:
    offered: dict[str, Any] = {}
    exec("from eyelog import *", offered)
    assert dir(el) == sorted(offered.keys() - {"__builtins__"}) == sorted(names_of_the_stub())


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
    expected = resolve(name).__all__ if name else dir(el)
    assert sorted(offered) == sorted(expected)


PUBLIC = public_names()


FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}


RESULTS = {name: thing for name, thing in PUBLIC.items() if hasattr(thing, "_fields")}


ERRORS = {
    name: thing
    for name, thing in PUBLIC.items()
    if inspect.isclass(thing) and issubclass(thing, Exception)
}


NOT_CHECKED = {
    "ES01": "a summary line may be all that there is to say",
    "SA01": "related names are linked where the text needs them, in Notes and Parameters",
    "EX01": "test_a_function_shows_an_example_that_runs asks for more, and knows its exceptions",
    "PR04": "a parameter documented elsewhere ('As in `eyelog.flag`') takes its type from there",
    "PR06": "'Series of boolean' is the pandas dtype, not the Python type",
}


# Results are returned and errors are raised: nobody calls their constructors, so their fields are
# documented where they are met, which the tests below check.
NOT_CALLED = {*RESULTS, *ERRORS, "Reason"}


NO_EXAMPLE = {
    "Client.close": "it needs a service",
    "Client.computed_data": "it needs a service",
    "Client.exchange": "it needs a service",
    "Client.refresh": "it needs a service",
    "Client.revoke": "it needs a service",
    "Client.standard_mode_logs": "it needs a service",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_docstring_meets_the_numpydoc_standard(name: str) -> None:
    skipped = {*NOT_CHECKED, *(["PR01"] if name in NOT_CALLED else [])}
    path = "read.read.read" if name == "read" else name  # numpydoc takes the room for the function
    problems = validate(f"eyelog.{path}")["errors"]
    assert [problem for problem in problems if problem[0] not in skipped] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_docstring_has_only_sections_that_numpydoc_knows(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parsed = NumpyDocString(inspect.getdoc(PUBLIC[name]))
    assert parsed["Summary"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_returns_something_says_what(name: str) -> None:
    parsed = NumpyDocString(inspect.getdoc(FUNCTIONS[name]))
    returned = inspect.signature(FUNCTIONS[name]).return_annotation
    assert bool(parsed["Returns"] or parsed["Yields"]) is (returned not in (None, "None"))


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, "Application", "Archive", "Client", "Token"}))
def test_a_function_shows_an_example_that_runs(name: str) -> None:
    examples = "\n".join(NumpyDocString(inspect.getdoc(PUBLIC[name]))["Examples"])
    calls = [line for line in examples.splitlines() if line.startswith(">>> ")]
    runs = [line for line in calls if "+SKIP" not in line and "import" not in line]
    assert bool(runs) is (name not in NO_EXAMPLE)


def raised_directly(thing: Any) -> set[str]:
    """Return the names of the classes in the `raise` statements of a function's own body."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    raised = {
        node.exc.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
    }
    return {name for name in raised if name in ERRORS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_documents_the_errors_that_it_raises(name: str) -> None:
    parsed = NumpyDocString(inspect.getdoc(FUNCTIONS[name]))
    documented = {kind for section in parsed["Raises"] for kind in section.type.split(", ")}
    assert raised_directly(FUNCTIONS[name]) <= documented
    # An error that a user cannot import could not be caught.
    assert documented <= set(ERRORS)


@pytest.mark.parametrize("name", RESULTS)
def test_the_fields_of_a_result_are_documented_where_it_is_returned(name: str) -> None:
    """Look into the class and into the functions that return it for each field's name."""
    result = RESULTS[name]
    texts = [inspect.getdoc(result) or ""]
    for function in FUNCTIONS.values():
        if inspect.signature(function).return_annotation in (result, result.__name__):
            texts += [
                "\n".join(section.desc)
                for section in NumpyDocString(inspect.getdoc(function))["Returns"]
            ]
    documented = set(re.findall(r"``(\w+)``", "\n".join(texts)))
    assert [field for field in result._fields if field not in documented] == []


@pytest.mark.parametrize("name", [name for name in ERRORS if name != "EyelogWarning"])
def test_an_error_documents_the_attributes_that_it_carries(name: str) -> None:
    documented = {
        attribute.strip()
        for kind in ERRORS[name].__mro__[:-2]
        if issubclass(kind, el.EyelogError)
        for section in NumpyDocString(inspect.getdoc(kind))["Attributes"]
        for attribute in section.name.split(",")
    }
    declared = {
        each for kind in ERRORS[name].__mro__ for each in vars(kind).get("__annotations__", ())
    }
    assert declared <= documented


SOURCE = ROOT / "src"


# The settings file of the service is no path.
PATHS = re.compile(r"(?<![\w./])(?!eyelog\.toml\b)(?:eyelog|el)\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")


CALLS = re.compile(r"`eyelog ([a-z-]+(?: [a-z-]+)*)[^`]*`")


NO_MESSAGE = {
    "cli": "the package that a text is read from",
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
