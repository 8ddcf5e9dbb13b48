"""A user reads what each parameter means in the docstring of the function itself."""

import inspect

import pytest
from numpydoc.docscrape import NumpyDocString

import eyelog as el
from eyelog.analysis.shared_parameters import WORDS, shared_parameters
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


def test_only_a_reference_whose_names_are_all_shared_is_replaced() -> None:
    def summary() -> None:
        """Return a summary.

        Parameters
        ----------
        judge, log
            As in `eyelog.daily`.
        every, log
            As in `eyelog.compare.events`.

        Raises
        ------
        FieldError, MixedLogsError
            As in `eyelog.gait.pace`.
        """

    assert descriptions(shared_parameters(summary)) == {
        "judge": "First mask the values that `eyelog.flag` flags.",
        "log": "The log, if neither the provenance nor the columns show it.",
        "every, log": "As in `eyelog.compare.events`.",
        "FieldError": "If the frame lacks a field it needs.",
        "MixedLogsError": "If the frame has fields of both logs.",
    }


def test_a_function_without_a_docstring_stays_as_it_is() -> None:
    def bare() -> None:
        pass

    assert shared_parameters(bare).__doc__ is None
