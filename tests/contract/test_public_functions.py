"""Laws for every public function, by its call in `support.examples`.

A function changes none of its tables. What people do with a table changes no number: it is in its
columns and index, not in `attrs` (`support.treatments`). A table of polars, pyarrow or DuckDB, or
with Arrow or nullable dtypes, is as good as a frame. What is true of records is true of the
bins made of them. What is said of wrong arguments is in `test_messages.py`.
"""

import inspect
import warnings
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import cycle
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import eyelog as el
from support.examples import EXAMPLES, MINUTES, NO_EXAMPLE, QUARTERS, answer, functions, is_table
from support.firstdifference import first_difference
from support.kindsoftables import KINDS, ZONE, held, made_in_halves
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
    got = as_made(function, EXAMPLES[function].kinds[0] if EXAMPLES[function].kinds else None)
    assert not isinstance(got, Exception), complaint(None, got)


@cache
def as_made(function: str, kind: str | None, **others: Any) -> Any:
    """Return what a function answers to its example, which must leave its tables as they were."""
    given = EXAMPLES[function].arguments(resolve(function), kind) | others
    tables = {name: value for name, value in given.items() if is_table(value)}
    copies = {name: table.copy() for name, table in tables.items()}
    attrs = {name: dict(table.attrs) for name, table in tables.items()}
    got = answer(function, given)
    for name, table in tables.items():
        assert table.equals(copies[name])
        assert list(table.axes[-1]) == list(copies[name].axes[-1])
        assert table.attrs == attrs[name]
    return got


@pytest.mark.parametrize(("function", "kind"), [each for each in QUICK if each[0] in OF_TABLES])
def test_no_rows_give_a_table_of_the_same_shape(function: str, kind: str) -> None:
    given = EXAMPLES[function].arguments(resolve(function), kind)
    first = next(iter(given))
    got, none = as_made(function, kind), answer(function, given | {first: given[first][:0]})
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


# Tables that are no frames of pandas


def in_duckdb(table: pd.DataFrame) -> Any:
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{ZONE}'")
    return connection.from_df(table.reset_index())


def in_arrow_dtypes(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table all of whose columns, and its index, are of Arrow."""
    arrow = pa.Table.from_pandas(table.reset_index(), preserve_index=False)
    return arrow.to_pandas(types_mapper=pd.ArrowDtype).set_index(table.index.name)


FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": lambda table: pl.from_pandas(table.reset_index()),
    "pyarrow": pa.Table.from_pandas,
    "pyarrow without an index": lambda table: pa.Table.from_pandas(
        table.reset_index(), preserve_index=False
    ),
    "DuckDB": in_duckdb,
    "Arrow dtypes": in_arrow_dtypes,
    "Arrow dtypes without an index": lambda table: in_arrow_dtypes(table).reset_index(),
    "nullable dtypes": lambda table: table.convert_dtypes(),
}
OTHERS = [form for form in FORMS if form != "polars"]
RECORDS = ["records of 60 s", "records of 15 s"]
FAMILIES = [
    "flag", "mask", "states", "attrition", "select", "coverage", "gaps", "resample", "daily",
    "weekly", "blinks.rate", "gait.pace", "posture.spread", "plot_day", "plot_heatmap",
    "plot_quality", "plot_timeline",
]  # fmt: skip
CALLS = {
    name: kind
    for name, example in EXAMPLES.items()
    for kind in ("records of 60 s", "reasons", "days")
    if kind in example.kinds[:1] and name != "report"  # has a test of its own
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", RECORDS)
def test_each_form_of_a_frame_becomes_that_frame(kind: str, form: str) -> None:
    frame = held(kind)
    got = el.between_time(in_form(kind, form), "00:00", "24:00")
    pd.testing.assert_frame_equal(got, frame)


@cache
def in_form(kind: str, form: str) -> Any:
    return FORMS[form](held(kind))


def answers_alike(function: str, form: str) -> str:
    """Return how the answer to a table in another form differs, nothing if it does not."""
    given = EXAMPLES[function].arguments(resolve(function))
    got = answer(function, given | {next(iter(given)): in_form(CALLS[function], form)})
    if isinstance(got, Exception):
        return repr(got)
    return first_difference(as_made(function, CALLS[function]), got)


@pytest.mark.parametrize("function", CALLS)
def test_every_function_takes_a_table_of_polars(function: str) -> None:
    assert not answers_alike(function, "polars")


@pytest.mark.parametrize(("function", "form"), [*zip(FAMILIES, cycle(OTHERS))])
def test_each_other_form_is_taken_by_some_families(function: str, form: str) -> None:
    assert not answers_alike(function, form)


def test_a_column_of_arrow_is_as_good_as_one_of_a_frame() -> None:
    column = held("a field of bins")
    arrow = in_arrow_dtypes(column.to_frame())[column.name]
    assert arrow.dtype == pd.ArrowDtype(pa.float64())
    expected, got = (el.rhythm.cosinor(each) for each in (column, arrow))
    assert not first_difference(expected, got)


def test_decimals_of_a_data_base_are_numbers() -> None:
    frame = held("records of 60 s")[["stp_s", "wea_s"]]
    table = in_duckdb(frame).project("date, cast(stp_s as decimal(9, 2)) as stp_s, wea_s")
    got = el.between_time(table, "00:00", "24:00")
    np.testing.assert_allclose(got["stp_s"], frame["stp_s"], rtol=1e-12)


def test_a_report_and_a_mixed_table_take_several(tmp_path: Any) -> None:
    minutes, quarters = (FORMS["polars"](held(kind)) for kind in RECORDS)
    assert el.report([quarters, minutes], tmp_path / "report.html", glance=True).exists()
    got = el.compare.mixed_table({"ann": minutes, "bob": minutes})
    frame = held(RECORDS[0])
    assert not first_difference(el.compare.mixed_table({"ann": frame, "bob": frame}), got)


def test_an_archive_takes_what_a_function_takes(tmp_path: Any) -> None:
    frame = held("records of 60 s")
    archive = el.Archive(tmp_path)
    archive.write("standard_mode_logs", FORMS["polars"](frame), account="me")
    got = archive.read("standard_mode_logs", account="me", tz=ZONE)
    pd.testing.assert_frame_equal(got, frame, check_like=True)


@pytest.mark.parametrize("function", [el.flag, el.daily, el.resample, el.describe, el.plot_day])
def test_a_table_of_records_without_stamps_is_refused_in_one_line(function: Any) -> None:
    table = FORMS["polars"](held("records of 60 s"))
    options = {"every": "1h"} if function is el.resample else {}
    with pytest.raises(el.ConfigurationError, match="needs the column 'date'") as refused:
        function(table.drop("date"), **options)
    assert "\n" not in str(refused.value)


def test_stamps_of_polars_without_a_zone_are_refused() -> None:
    table = FORMS["polars"](held("records of 60 s"))
    naive = table.with_columns(pl.col("date").dt.replace_time_zone(None))
    with pytest.raises(el.ConfigurationError, match="time-zone aware"):
        el.daily(naive)


def test_a_warning_names_the_line_of_the_user() -> None:
    frame = held("records of 15 s")[["sc_fcs"]]
    with pytest.warns(el.EyelogWarning, match="not judged") as caught:
        el.flag(FORMS["polars"](frame))
    assert caught[0].filename == __file__
