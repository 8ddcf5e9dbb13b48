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


def treated(call: Call, *, slow: bool) -> Iterator[tuple[str, Any, Any]]:
    """Return each treatment with the answer to the table before it and after it."""
    kind = KINDS[call.kind]
    as_made = answer(call, held(call.kind))
    for name, treatment in TREATMENTS.items():
        if treatment.slow and not slow:
            continue
        first = treatment.first(held(call.kind))
        try:
            table = _treat(treatment.treat, first)
        except Exception as error:  # noqa: BLE001 - that nobody can do it is a finding too
            yield name, as_made, error
            continue
        if table is not None:
            before = as_made if first is held(call.kind) else answer(call, first)
            yield name, before, answer(call, table)
    if kind.halves:
        yield "made in halves", as_made, answer(call, _treat(made_in_halves, kind))


def _treat(treat: Any, table: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return treat(table)


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
    as_made = answer(call, held(call.kind))
    if isinstance(as_made, Exception) and not isinstance(as_made, el.EyelogError):
        return [f"as made: a bare {plain(as_made)}"]
    found = ((name, complaint(before, after)) for name, before, after in treated(call, slow=slow))
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
        if any(not isinstance(answer(call, held(call.kind)), Exception) for call in those)
    )


def test_every_function_that_takes_a_table_is_covered_or_says_why_not() -> None:
    assert sorted(set(functions()) - covered() - set(NOT_COVERED)) == []


def test_what_is_not_covered_still_exists() -> None:
    assert set(NOT_COVERED) <= set(functions())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TREATMENTS)
def test_a_treatment_leaves_in_a_table_what_was_in_it(name: str, kind: str) -> None:
    """Else a difference would be one of the test."""
    table = TREATMENTS[name].first(held(kind))
    after = _treat(TREATMENTS[name].treat, table)
    if after is not None:
        assert isinstance(after, pd.DataFrame | pd.Series)
        assert not first_difference(table, after, added=ADDED)
