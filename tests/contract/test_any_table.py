"""A table of polars, pyarrow or DuckDB, or with Arrow or nullable dtypes, is as good as a frame."""

import inspect
from collections.abc import Callable
from functools import cache
from itertools import cycle
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import eyelog as el
from support.examples import EXAMPLES, answer
from support.firstdifference import first_difference
from support.kindsoftables import ZONE, held
from support.public import resolve


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
    expected, got = (
        answer(function, EXAMPLES[function].arguments(resolve(function)) | other)
        for other in ({}, {first_of(function): in_form(CALLS[function], form)})
    )
    return repr(got) if isinstance(got, Exception) else first_difference(expected, got)


def first_of(function: str) -> str:
    return next(iter(inspect.signature(resolve(function)).parameters))


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


def test_stamps_without_a_zone_are_refused() -> None:
    table = FORMS["polars"](held("records of 60 s"))
    naive = table.with_columns(pl.col("date").dt.replace_time_zone(None))
    with pytest.raises(el.ConfigurationError, match="time-zone aware"):
        el.daily(naive)


def test_a_warning_names_the_line_of_the_user() -> None:
    frame = held("records of 15 s")[["sc_fcs"]]
    with pytest.warns(el.EyelogWarning, match="not judged") as caught:
        el.flag(FORMS["polars"](frame))
    assert caught[0].filename == __file__
