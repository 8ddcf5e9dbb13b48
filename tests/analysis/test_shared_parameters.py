"""A user reads what each parameter means in the docstring of the function itself."""

import inspect

import pytest
from numpydoc.docscrape import NumpyDocString

import eyelog as el
from eyelog.analysis.shared_parameters import WORDS
from support.public import public_names

FUNCTIONS = {
    name: thing
    for name, thing in public_names().items()
    if inspect.isfunction(thing)
    and thing.__module__.startswith(("eyelog.analysis", "eyelog.figures"))
    and WORDS.keys() & inspect.signature(thing).parameters
}


def descriptions(function: object) -> dict[str, str]:
    parsed = NumpyDocString(inspect.getdoc(function) or "")
    errors = {entry.type: " ".join(entry.desc) for entry in parsed["Raises"]}
    return errors | {entry.name: " ".join(entry.desc) for entry in parsed["Parameters"]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_does_not_send_its_reader_to_another_one_for_these_words(name: str) -> None:
    sent = [
        f"As in `eyelog.{other}`." for other in ("daily", "blinks.rate", "gait.pace", "plot_daily")
    ]
    assert [each for each, words in descriptions(FUNCTIONS[name]).items() if words in sent] == []


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (el.blinks.rate, ("by", "stamp", "log")),
        (el.daily, ("log",)),
        (el.plot_daily, ("ax", "title")),
        (el.gait.pace, ("FieldError", "MixedLogsError", "ConfigurationError")),
    ],
)
def test_the_functions_that_the_source_refers_to_say_the_same(
    function: object, names: tuple[str, ...]
) -> None:
    own = descriptions(function)
    for name in names:
        assert own[name] == " ".join(line.strip() for line in WORDS[name].splitlines()[1:])


@pytest.mark.parametrize(
    "function", [el.rhythm.most_active, el.rhythm.fragmentation, el.rhythm.time_on_task]
)
def test_a_function_of_one_quantity_says_how_a_row_is_read(function: object) -> None:
    own = descriptions(function)
    assert own["interval"].startswith("The length of a row")
    assert own["exposure"].startswith("The hours that each row is based on")
    assert own["FieldError"] == "If the table has no such column."
