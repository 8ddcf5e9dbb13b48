"""Every function on a Series or a column answers the same however its input was handled."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el

CALLS: dict[str, Callable[..., Any]] = {
    "most_active": el.rhythm.most_active,
    "least_active": lambda *x: el.rhythm.least_active(*x, night_worn=True),
    "relative_amplitude": lambda *x: el.rhythm.relative_amplitude(*x, night_worn=True),
    "cosinor": el.rhythm.cosinor,
    "interdaily_stability": el.rhythm.interdaily_stability,
    "intradaily_variability": el.rhythm.intradaily_variability,
    "profile": el.rhythm.profile,
    "activity_bouts": lambda *x: el.rhythm.activity_bouts(*x, threshold=3, min_length="2min"),
    "typical_value": el.baseline.typical_value,
    "standardised_mean": el.compare.standardised_mean,
}
OF_DAYS: dict[str, Callable[..., Any]] = {
    "personal": lambda *x: el.baseline.personal(*x, min_n=3),
    "trend": el.baseline.trend,
    "typical_value": el.baseline.typical_value,
    "profile": lambda *x: el.rhythm.profile(*x, by="weekday"),
    "cosinor": lambda *x: el.rhythm.cosinor(*x, period="7D"),
}


def same(one: Any, other: Any) -> bool:
    """Return whether two results hold the same numbers and words."""
    if isinstance(one, pd.DataFrame | pd.Series):
        check = (
            pd.testing.assert_frame_equal
            if isinstance(one, pd.DataFrame)
            else pd.testing.assert_series_equal
        )
        check(one, other, rtol=1e-9, check_freq=False, check_index_type=False)
        return True
    return all(
        a == b if isinstance(a, str | pd.Timestamp) else a == pytest.approx(b, nan_ok=True)
        for a, b in zip(one, other, strict=True)
    )


def cleared(table: Any) -> Any:
    out = table.copy()
    out.attrs = {}
    return out


def halved(table: Any) -> Any:
    half = len(table) // 2
    return pd.concat([table.iloc[:half], cleared(table.iloc[half:])])


def through_parquet(table: Any) -> Any:
    store = io.BytesIO()
    framed = table if isinstance(table, pd.DataFrame) else table.to_frame()
    framed.reset_index().to_parquet(store)
    back = (
        pd.read_parquet(store).set_index(framed.index.name or "index").rename_axis(table.index.name)
    )
    return back if isinstance(table, pd.DataFrame) else back.iloc[:, 0]


def through_csv(table: Any) -> Any:
    zone = table.index.tz
    framed = table if isinstance(table, pd.DataFrame) else table.to_frame()
    back = pd.read_csv(io.StringIO(framed.to_csv()), index_col=0)
    if zone is not None:
        back.index = pd.to_datetime(back.index, utc=True).tz_convert(zone)
    return back if isinstance(table, pd.DataFrame) else back.iloc[:, 0]


def in_nanoseconds(table: Any) -> Any:
    return table.set_axis(table.index.as_unit("ns"))


def with_history(table: Any) -> Any:
    out = table.copy()
    steps = [{"step": "resample", "interval_s": 3600.0, "stamp": "end"}]
    out.attrs = {"eyelog": {"log": "computed_data", "history": steps}}
    return out


def as_bins(table: Any) -> Any:
    out = with_history(table)
    out.attrs["eyelog"]["history"][0]["stamp"] = "start"
    return out


def reordered(table: Any) -> Any:
    return table[table.columns[::-1]] if isinstance(table, pd.DataFrame) else table


WAYS = [
    cleared,
    halved,
    through_parquet,
    through_csv,
    in_nanoseconds,
    with_history,
    reordered,
]


@pytest.fixture(scope="module")
def masked() -> pd.DataFrame:
    frame = el.simulate("2026-10-19", 3, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    return el.mask(frame, el.flag(frame))[["hm_yo", "tl_yav", "val_s", "nis_s", "stored"]]


@pytest.fixture(scope="module")
def days() -> pd.DataFrame:
    frame = el.simulate("2026-10-19", 12, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    table = el.daily(frame)
    dates = pd.DatetimeIndex(table.index)
    if dates.tz is not None:
        table = table.set_axis(dates.tz_localize(None).rename("day"))
    return table[["n", "coverage", "worn_h", "steps"]].astype("float64")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CALLS)
def test_a_series_answers_the_same_however_it_was_handled(name, way, masked) -> None:
    series = cleared(masked["hm_yo"])
    if way is with_history:  # that of bins, which open at their stamps too
        way = as_bins
    assert same(CALLS[name](series), CALLS[name](way(series)))


@pytest.mark.parametrize("name", CALLS)
def test_a_series_of_records_is_refused_with_the_call_that_judges_it(name, masked) -> None:
    for frame in (masked, el.sample("standard_mode_logs")):
        with pytest.raises(el.ConfigurationError, match=rf"{name}\(frame, 'hm_yo'\), which judges"):
            CALLS[name](frame["hm_yo"])
        CALLS[name](frame, "hm_yo")


@pytest.mark.parametrize("way", [way for way in WAYS if way is not with_history])
@pytest.mark.parametrize("name", CALLS)
def test_a_column_of_a_frame_answers_the_same_however_it_was_handled(name, way, masked) -> None:
    assert same(CALLS[name](masked, "hm_yo"), CALLS[name](way(masked), "hm_yo"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OF_DAYS)
def test_days_answer_the_same_however_they_were_handled(name, way, days) -> None:
    call = OF_DAYS[name]
    assert same(call(days["steps"]), call(way(days["steps"])))
    assert same(call(days, "steps"), call(way(days), "steps"))


def test_days_whose_freq_is_set_and_that_met_a_questionnaire_answer_the_same(days) -> None:
    asked = pd.DataFrame({"mood": np.arange(12.0)}, index=days.index)
    for name, call in OF_DAYS.items():
        assert same(call(days, "steps"), call(days.join(asked), "steps")), name
        assert same(call(days, "steps"), call(days.asfreq("D"), "steps")), name


def test_weeks_are_taken_as_days_are(days) -> None:
    weeks = days.resample("W-MON", closed="left", label="left").sum().rename_axis("week")
    found = el.baseline.trend(weeks.assign(coverage=0.5), "steps")
    assert (found.n, found.coverage) == (len(weeks), 0.5)
    assert len(el.baseline.personal(weeks["steps"], min_n=1)) == len(weeks)


def test_two_periods_take_tables_by_date(days) -> None:
    table = el.compare.two_periods(days[:6], days[6:], column="steps")
    bare = el.compare.two_periods(days["steps"][:6], days["steps"][6:])
    told = el.compare.two_periods(days["steps"][:6], days["steps"][6:], exposure=days["worn_h"])
    assert table.exposure_h == told.exposure_h == pytest.approx(days["worn_h"].sum())
    assert np.isnan(bare.exposure_h)
    assert bare[:8] == pytest.approx(table[:8], nan_ok=True)


@pytest.mark.parametrize("name", [*CALLS, "trend", "personal"])
def test_the_invalid_value_of_a_score_is_refused_everywhere_with_the_call_to_make(name) -> None:
    frame = el.sample()
    call = (OF_DAYS | CALLS)[name]
    with pytest.raises(el.ConfigurationError, match=r"invalid value -1 .* pass the frame and the"):
        call(cleared(frame["sc_fcs"]))
    if name in CALLS:
        call(frame, "sc_fcs")


def test_a_sparse_series_is_exposed_for_its_records_and_no_longer() -> None:
    frame = el.mask(el.sample(), el.flag(el.sample()))
    rows = np.arange(len(frame))
    sparse = frame[(rows % 8 == 0) | (rows % 8 == 1)]
    hours = np.isfinite(sparse["tl_yav"]).sum() * 15 / 3600
    for found in (
        el.baseline.typical_value(sparse, "tl_yav"),
        el.baseline.typical_value(cleared(sparse["tl_yav"])),
    ):
        assert found.exposure_h == pytest.approx(hours)


def test_an_episode_of_a_sparse_series_is_as_long_as_its_records() -> None:
    index = pd.date_range("2026-10-19 10:00", periods=20, freq="min", tz="UTC")
    lone = index[20:].append(index[-1] + pd.to_timedelta(np.arange(1, 40) * 6, unit="min"))
    sparse = pd.Series(False, index=index.append(lone))
    sparse.iloc[5:10] = True
    assert el.episodes(sparse)["duration_min"].tolist() == [5.0]
    assert el.episodes(sparse)["start"][0] == index[5]
    assert el.episodes(sparse)["end"][0] == index[10]


def test_an_episode_of_days_goes_from_date_to_date(days) -> None:
    found = el.episodes(days["steps"] > -1)
    assert found["start"].tolist() == [days.index[0]]
    assert found["end"].tolist() == [days.index[-1] + pd.Timedelta("1D")]
