"""Laws for every public function, by its call in `support.examples`.

A function changes none of its tables. What people do with a table changes no number: it is in its
columns and index, not in `attrs` (`support.treatments`). What is true of records is true of the
bins made of them. What is said of wrong arguments is in `test_messages.py`.
"""

import inspect
import warnings
from functools import lru_cache
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from support.examples import EXAMPLES, MINUTES, NO_EXAMPLE, QUARTERS, answer, functions, is_table
from support.firstdifference import first_difference
from support.kindsoftables import KINDS, held, made_in_halves
from support.public import resolve
from support.treatments import ADDED, AT_ONCE, TREATMENTS

IN_HALVES = "made in halves"
DRAWN = ("plot_", "report", "readable")  # show slowly what others have computed
SHOWS_HISTORY = "report_cohort"  # who failed and how to repeat it, for people
DRAWN_WAYS = (AT_ONCE, IN_HALVES, "in nanoseconds")
POSITIONAL = {
    "between_time": 3,
    "cohort.daily": 4,
    "compare.group_rates": 4,
}  # others have two at most
EVERY = [(name, kind) for name, example in EXAMPLES.items() for kind in example.kinds]
# The first kind of table of each function, and the other log.
QUICK = [
    (name, kind)
    for name, kind in EVERY
    if kind == EXAMPLES[name].kinds[0] or (kind == QUARTERS and not name.startswith(DRAWN))
]
WITH_BY = [
    name
    for name in EXAMPLES
    if name.startswith(("blinks.", "gait.", "posture."))
    and "by" in inspect.signature(resolve(name)).parameters
]
OF_TABLES = [
    name for name in EXAMPLES if inspect.signature(resolve(name)).return_annotation is pd.DataFrame
]
ADDED_UP = {MINUTES: "intervals of 60 s", QUARTERS: "intervals of 15 s"}
# What Intervals of 10 minutes cannot say as their records do: moments, a rank correlation, how high
# single ones were. Coverage is of the time from the first row to the last, which they make longer.
UNLIKE = {
    "daily": {"first_worn", "last_worn", "blink_rate_slope_per_h"},
    "posture.head_movements": {"pitch_p90", "pitch_p99", "yaw_p90", "yaw_p99", "n"},
}


def test_every_public_function_has_an_example() -> None:
    lacking = set(functions()) - EXAMPLES.keys() - NO_EXAMPLE.keys()
    assert sorted(lacking) == [], "fill EXAMPLES of tests/support/examples.py"
    assert EXAMPLES.keys() <= set(functions()), "gone: take them out"


@pytest.mark.parametrize("function", functions())
def test_a_function_takes_the_table_first_and_most_others_by_keyword(function: str) -> None:
    parameters = inspect.signature(resolve(function)).parameters.values()
    by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    positional = [each for each in parameters if each.kind not in by_name]
    assert len(positional) <= POSITIONAL.get(function, 2)


@pytest.mark.parametrize("function", EXAMPLES)
def test_a_function_answers_its_example_and_changes_no_table(function: str) -> None:
    given = EXAMPLES[function].arguments(resolve(function))
    tables = {name: value for name, value in given.items() if is_table(value)}
    copies = {name: table.copy() for name, table in tables.items()}
    attrs = {name: dict(table.attrs) for name, table in tables.items()}
    got = answer(function, given)
    assert not isinstance(got, Exception), complaint(None, got)
    for name, table in tables.items():
        assert table.equals(copies[name])
        assert list(table.axes[-1]) == list(copies[name].axes[-1])
        assert table.attrs == attrs[name]


@pytest.mark.parametrize(("function", "kind"), [each for each in QUICK if each[0] in OF_TABLES])
def test_no_rows_give_a_table_of_the_same_shape(function: str, kind: str) -> None:
    given = EXAMPLES[function].arguments(resolve(function), kind)
    first = next(iter(given))
    got, none = (answer(function, given | {first: given[first][:n]}) for n in (None, 0))
    if not isinstance(none, el.EyelogError) and not isinstance(got, el.EyelogError):
        assert list(none.columns) == list(got.columns)
        assert none.dtypes.to_dict() == got.dtypes.to_dict()


def tables(function: str, kind: str, way: str, **others: Any) -> Any:
    """Return the arguments of an example before and after a treatment of its tables."""
    # Each has its own place for a file.
    before, after = (
        EXAMPLES[function].arguments(resolve(function), kind) | others for _ in range(2)
    )
    for name, table in before.items():
        if is_table(table):
            of_kind = table is held(kind)
            before[name], after[name] = travelled(kind, way) if of_kind else treated(table, way)
    return before, after


@lru_cache(maxsize=50)  # all ways of two kinds, and there is a kind after the other
def travelled(kind: str, way: str) -> tuple[Any, Any]:
    """Return the table of a kind before and after a treatment."""
    if way == IN_HALVES:
        return held(kind), made_in_halves(KINDS[kind]) if KINDS[kind].halves else held(kind)
    return treated(held(kind), way)


def treated(table: Any, way: str) -> tuple[Any, Any]:
    """Return a table before and after a treatment, the same twice where that cannot be done."""
    if way == IN_HALVES:
        return table, table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = TREATMENTS[way].first(table)
        after = TREATMENTS[way].treat(before)
    return before, before if after is None else after


def complaint(before: Any, after: Any) -> str:
    """Return what is wrong with an answer, beside the one to the tables as they were."""
    if isinstance(after, el.EyelogError):
        return "" if "\n" not in str(after) else f"an error of several lines: {after}"
    if isinstance(after, Exception):
        return f"a bare {type(after).__name__}: {after}"
    if isinstance(before, el.EyelogError):
        return f"an answer, where the table as made was refused: {before}"
    return first_difference(before, after, added=ADDED)


def complaints(function: str, kind: str, way: str, **others: Any) -> str:
    before, after = tables(function, kind, way, **others)
    untreated = next(iter(before.values())) is held(kind)
    expected = as_made(function, kind, **others) if untreated else answer(function, before)
    return complaint(expected, answer(function, after))


@lru_cache(maxsize=4)
def as_made(function: str, kind: str, **others: Any) -> Any:
    return answer(function, EXAMPLES[function].arguments(resolve(function), kind) | others)


@pytest.mark.parametrize(("function", "kind"), [x for x in QUICK if not x[0].startswith("report")])
def test_a_table_may_be_cut_stored_joined_and_shuffled_on_its_way(function: str, kind: str) -> None:
    found = complaints(function, kind, AT_ONCE)
    assert not found, found + "".join(
        f"\n{way}: {complaints(function, kind, way)}" for way in TREATMENTS if way != AT_ONCE
    )


def ways_of(function: str, kind: str) -> list[str]:
    """Return the share of a kind in the ways of a function: each way is met by one of its kinds."""
    kinds = EXAMPLES[function].kinds
    ways = DRAWN_WAYS if function.startswith(DRAWN) else (*TREATMENTS, IN_HALVES)
    at = kinds.index(kind)
    return list(ways[at % len(ways) :: len(kinds)])


@pytest.mark.slow("every public function on every kind of table")
@pytest.mark.parametrize(
    ("function", "kind"),
    sorted((each for each in EVERY if each[0] != SHOWS_HISTORY), key=lambda each: each[1]),
)
def test_a_function_answers_the_same_in_every_way_that_a_table_travels(
    function: str, kind: str
) -> None:
    found = {way: complaints(function, kind, way) for way in ways_of(function, kind)}
    if function in WITH_BY:
        by = ("hour", "weekend")[EXAMPLES[function].kinds.index(kind) % 2]
        found[by] = complaints(function, kind, AT_ONCE, by=by)
    assert not any(found.values()), "\n".join(f"{k}: {v}" for k, v in found.items() if v)


@pytest.mark.slow("every treatment and every kind of table")
@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for place, name in enumerate(TREATMENTS) for kind in list(KINDS)[place % 5 :: 5]],
)
def test_a_treatment_leaves_in_a_table_what_was_in_it(name: str, kind: str) -> None:
    """Else a difference would be one of the test."""
    before, after = travelled(kind, name)
    assert not first_difference(before, after, added=ADDED)


@pytest.mark.parametrize(
    ("function", "kind"),
    [each for each in QUICK if each[0] in OF_TABLES and (each[0], ADDED_UP.get(each[1])) in EVERY],
)
def test_a_column_says_the_same_of_records_and_of_their_intervals(function: str, kind: str) -> None:
    one, other = as_made(function, kind), as_made(function, ADDED_UP[kind])
    if len(one) != len(other):
        return  # a row is of one record, or of one interval
    differ = [
        name
        for name in one.columns
        if name not in {"coverage", *UNLIKE.get(function, ())}
        and first_difference(one[[name]], other[[name]])
    ]
    assert not differ, f"Intervals say something else: make {differ} right, or name it in UNLIKE"
