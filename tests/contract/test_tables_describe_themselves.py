"""What people do with a table changes no number: it is in its columns and index, not in `attrs`.

Every public function that takes a table is called with the table as it was made, and with the same
table after what people do with one (`support.treatments`). The answer is the same, or one
`EyelogError` says what is missing. To run one function:
``pytest tests/contract/test_tables_describe_themselves.py -k "daily and bins"``.
"""

import itertools
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from support.firstdifference import first_difference
from support.kindsoftables import KINDS, held, made_in_halves
from support.tablecalls import NOT_COVERED, Call, answer, calls, functions, plain
from support.treatments import ADDED, TREATMENTS

CALLS = list(calls())


@cache
def treated(kind: str, treatment: str) -> Any:
    """Return a table of a kind after a treatment, None if that cannot be done with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if treatment == "made in halves":
            return made_in_halves(KINDS[kind]) if KINDS[kind].halves else None
        return TREATMENTS[treatment].treat(untreated(kind, treatment))


@cache
def as_made(call: Call) -> Any:
    return answer(call, held(call.kind))


@cache
def untreated(kind: str, treatment: str) -> Any:
    """Return the table that is treated: the one of the kind, or what the treatment asks for."""
    return TREATMENTS[treatment].first(held(kind)) if treatment in TREATMENTS else held(kind)


def answers(call: Call, *, slow: bool) -> Iterator[tuple[str, Any, Any]]:
    """Return each treatment with the answer to the table before it and after it."""
    for name in [*TREATMENTS, "made in halves"]:
        if name in TREATMENTS and TREATMENTS[name].slow and not slow:
            continue
        before = untreated(call.kind, name)
        try:
            after = treated(call.kind, name)
        except Exception as error:  # noqa: BLE001 - that nobody can do it is a finding too
            yield name, as_made(call), error
            continue
        if after is not None:
            expected = as_made(call) if before is held(call.kind) else answer(call, before)
            yield name, expected, answer(call, after)


def complaint(before: Any, after: Any) -> str:
    """Return what is wrong with an answer, beside the one to the table as it was."""
    if isinstance(after, el.EyelogError):
        return "" if "\n" not in str(after) else f"an error of several lines: {plain(after)}"
    if isinstance(after, Exception):
        return f"a bare {plain(after)}"
    if isinstance(before, el.EyelogError):
        return f"an answer, where the table as made was refused: {plain(before)}"
    return first_difference(before, after, added=ADDED)


def complaints(call: Call, *, slow: bool) -> list[str]:
    first = as_made(call)
    if isinstance(first, Exception) and not isinstance(first, el.EyelogError):
        return [f"as made: a bare {plain(first)}"]
    found = ((name, complaint(before, after)) for name, before, after in answers(call, slow=slow))
    return [f"{name}: {text}" for name, text in found if text]


@pytest.mark.parametrize(
    "call", [pytest.param(call, id=str(call)) for call in CALLS if not call.slow]
)
def test_a_function_answers_the_same_whatever_was_done_with_its_table(call: Call) -> None:
    found = complaints(call, slow=False)
    assert not found, "\n".join([str(call), *found])


@pytest.mark.slow
@pytest.mark.parametrize("call", [pytest.param(call, id=str(call)) for call in CALLS])
def test_a_function_answers_the_same_in_every_way_that_a_table_travels(call: Call) -> None:
    found = complaints(call, slow=True)
    assert not found, "\n".join([str(call), *found])


@cache
def covered() -> frozenset[str]:
    """Return the functions with an answer for at least one kind of table as it was made."""
    by_function = itertools.groupby(CALLS, key=lambda call: call.function)
    return frozenset(
        name
        for name, those in by_function
        if any(not isinstance(as_made(call), Exception) for call in those)
    )


def test_every_function_that_takes_a_table_is_covered_or_says_why_not() -> None:
    assert sorted(set(functions()) - covered() - set(NOT_COVERED)) == []


def test_what_is_not_covered_still_exists() -> None:
    assert set(NOT_COVERED) <= set(functions())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * treatment.slow)
        for name, treatment in TREATMENTS.items()
    ],
)
def test_a_treatment_leaves_in_a_table_what_was_in_it(name: str, kind: str) -> None:
    """Else a difference would be one of the test."""
    after = treated(kind, name)
    if after is not None:
        assert isinstance(after, pd.DataFrame | pd.Series)
        assert not first_difference(untreated(kind, name), after, added=ADDED)
