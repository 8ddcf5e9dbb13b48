"""Named results print as small tables, are tuples, and say what they are based on."""

import copy
import inspect
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.public import public_names

# A summary of a cohort is three tables, each of which `readable` shows.
TABLES = {"Summary"}


RESULTS = {
    thing.__name__: thing
    for thing in public_names().values()
    if hasattr(thing, "_fields") and thing.__name__ not in TABLES
}


RISING = pd.Series(
    [1.0, 0.5, 4.5, 2.0, 6.0, 4.0, 7.5, 6.5, 9.5, 8.0, 12.0, 10.0, 13.5, 12.5, 15.5, 14.0],
    index=pd.date_range("2026-10-19", periods=16, freq="D", tz="UTC", name="day"),
)


def test_a_result_prints_a_title_its_fields_their_intervals_and_what_they_mean() -> None:
    lines = repr(el.baseline.trend(RISING)).splitlines()
    assert lines[0] == "Trend of a series (Theil-Sen), of this wearer"
    slope = next(line for line in lines if line.startswith("slope"))
    trend = el.baseline.trend(RISING)
    value, low, _, high = slope.split()[1:5]
    assert float(value) == pytest.approx(trend.slope, rel=1e-2)
    assert (float(low), float(high)) == pytest.approx((trend.low, trend.high), rel=1e-2)
    assert slope.endswith("Change of the series per day")
    assert str(el.baseline.trend(RISING)) == repr(el.baseline.trend(RISING))


def test_a_refused_result_shows_dashes_and_the_reason() -> None:
    text = repr(el.baseline.trend(RISING.head(2)))
    assert "\N{EN DASH}" in text
    assert text.splitlines()[-1] == "Remark: fewer than three values were observed."
    assert "nan" not in text


def test_a_notebook_shows_the_same_as_a_table_with_a_caption() -> None:
    page = el.baseline.trend(RISING)._repr_html_()
    assert "<caption>Trend of a series (Theil-Sen), of this wearer</caption>" in page
    assert "Change of the series per day" in page


def test_a_result_is_the_same_tuple_as_before() -> None:
    result = el.baseline.trend(RISING)
    slope, low, high, *_ = result
    assert (slope, low, high) == (result.slope, result.low, result.high)
    assert result == tuple(result)
    assert result._replace(n=7).n == 7
    for twin in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert twin == result
        assert type(twin) is type(result)


def test_two_sides_of_series_are_a_row_for_each_label() -> None:
    right = pd.Series([5.2, 4.0], index=["one", "two"])
    result = el.gait.symmetry(right, pd.Series([4.6, 4.0], index=["one", "two"]))
    assert [line.split() for line in repr(result).splitlines()[1:]] == [
        ["Label", "index", "ratio", "angle"],
        ["%", "%"],
        ["one", "12.2", "1.13", "3.9"],
        ["two", "0.0", "1.00", "0.0"],
    ]


def test_a_p_value_that_is_too_small_for_a_float_is_not_0() -> None:
    result = el.baseline.trend(RISING)._replace(p=0.0)
    assert "<0.001" in repr(result)


def test_an_infinite_end_of_an_interval_is_shown() -> None:
    result = el.baseline.trend(RISING)._replace(high=np.inf)
    assert " to ∞" in repr(result)


@pytest.mark.parametrize("name", RESULTS)
def test_each_field_of_each_result_has_a_row_with_words(name: str) -> None:
    result = RESULTS[name]
    lines = repr(result(*[1.5] * len(result._fields))._replace(**_no_reason(result))).splitlines()
    rows = [re.split(r"  +", line) for line in lines[2:] if not line.startswith(" ")]
    shown = {field for row in rows for field in row[0].split(", ")}
    beside = {f for f in result._fields if f.endswith(("low", "high", "_se", "_se_h"))}
    assert set(result._fields) - beside - {"reason"} <= shown
    assert all(row[-1] != row[0] and any(map(str.isalpha, row[-1])) for row in rows)


def _no_reason(result: type) -> dict[str, str]:
    return {"reason": ""} if "reason" in result._fields else {}


def test_every_result_shows_how_much_data_it_is_based_on() -> None:
    for name in el.compare.__all__:
        thing = getattr(el.compare, name)
        if inspect.isclass(thing):
            assert "reason" in thing._fields, name
            assert any(field == "n" or field.startswith("n_") for field in thing._fields), name
            # Bare pairs of numbers have neither a length nor a span.
            if name != "AgreementLimits":
                assert "coverage" in thing._fields, name
                assert any(field.startswith("exposure") for field in thing._fields), name
