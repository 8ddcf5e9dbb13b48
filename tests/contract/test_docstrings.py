"""Public docstrings follow the numpydoc standard and document what the signature has."""

import ast
import inspect
import re
import textwrap
import warnings
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import eyelog as el
from support.public import public_names

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
    assert set(vars(ERRORS[name]("a message"))) <= documented
