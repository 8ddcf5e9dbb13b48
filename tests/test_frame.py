"""There is one shape of a frame: index, order of columns and dtypes never follow the data."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.catalogue import LOGS, catalogue, columns
from eyelog.errors import ConfigurationError
from eyelog.frame import (
    between,
    conform,
    empty,
    interval_seconds,
    log_of,
    one_source,
    own_share,
    require,
)
from eyelog.provenance import record


def stamps(*texts: str, tz: str = "UTC") -> pd.DatetimeIndex:
    return pd.DatetimeIndex(list(texts), tz=tz)


def steps(*texts: str, tz: str = "UTC") -> pd.DataFrame:
    index = stamps(*texts, tz=tz)
    return pd.DataFrame({"stp": np.arange(len(index), dtype=float)}, index=index)


@pytest.mark.parametrize("log", LOGS)
def test_no_data_is_an_empty_frame_of_the_full_shape(log: str) -> None:
    frame = empty(log, tz="Asia/Tokyo")
    assert len(frame) == 0
    assert list(frame.columns) == list(columns(log))
    assert frame.index.name == "date"
    assert str(frame.index.dtype) == "datetime64[us, Asia/Tokyo]"
    for name in frame.columns:
        assert frame[name].dtype == catalogue(log)[name].dtype


def test_an_empty_frame_can_hold_chosen_columns() -> None:
    assert list(empty("computed_data", names=["stp", "cad"]).columns) == ["stp", "cad"]


def test_conform_gives_order_dtypes_and_zone_whatever_came() -> None:
    index = stamps("2026-10-24 00:00:30", "2026-10-24 00:00:15")
    frame = pd.DataFrame({"gw": ["", None], "isl": [1, None], "stp": [3, 1]}, index=index)
    shaped = conform(frame, "computed_data", tz="Asia/Tokyo")
    assert list(shaped.columns) == ["stp", "isl", "gw"]
    assert [str(dtype) for dtype in shaped.dtypes] == ["float64", "boolean", "string"]
    assert shaped.index.is_monotonic_increasing
    assert str(shaped.index.dtype) == "datetime64[us, Asia/Tokyo]"
    assert shaped["stp"].tolist() == [1.0, 3.0]
    assert shaped["gw"].iloc[1] == ""
    assert pd.isna(shaped["gw"].iloc[0])
    assert list(frame.columns) == ["gw", "isl", "stp"]


def test_of_several_rows_on_one_stamp_the_last_one_stays() -> None:
    frame = steps("2026-10-24 00:00:15", "2026-10-24 00:00:15", "2026-10-24")
    assert conform(frame, "computed_data")["stp"].tolist() == [2.0, 1.0]


def test_an_unknown_column_is_kept_last_with_a_warning() -> None:
    frame = steps("2026-10-24").assign(new=1)[["new", "stp"]]
    with pytest.warns(el.EyelogWarning, match="unknown fields in log 'computed_data'.*: new"):
        assert list(conform(frame, "computed_data").columns) == ["stp", "new"]


@pytest.mark.parametrize(
    "index", [pd.RangeIndex(1), pd.DatetimeIndex(["2026-10-24"])], ids=["no stamps", "naive"]
)
def test_a_frame_without_aware_stamps_is_refused(index: pd.Index) -> None:
    with pytest.raises(el.ConfigurationError, match="time-zone aware"):
        conform(pd.DataFrame({"stp": [1.0]}, index=index), "computed_data")


@given(order=st.permutations(range(8)))
def test_the_order_of_rows_never_matters(order: list[int]) -> None:
    index = pd.date_range("2026-10-24", periods=8, freq="15s", tz="UTC")
    frame = pd.DataFrame({"stp": np.arange(8.0)}, index=index)
    assert_frame_equal(conform(frame.iloc[order], "computed_data"), conform(frame, "computed_data"))


def test_the_log_is_told_by_argument_provenance_or_columns() -> None:
    assert log_of(pd.DataFrame(columns=["bl"]), "standard_mode_logs") == "standard_mode_logs"
    assert log_of(record(pd.DataFrame(), "fetch", log="computed_data")) == "computed_data"
    assert log_of(pd.DataFrame(columns=["stp_s"])) == "standard_mode_logs"
    with pytest.raises(el.ConfigurationError, match="pass log="):
        log_of(pd.DataFrame(columns=["bl", "hm_yo"]))


def test_two_logs_in_one_frame_or_story_are_refused() -> None:
    with pytest.raises(el.MixedLogsError, match="two logs are in one frame"):
        log_of(pd.DataFrame(columns=["stp", "stp_s"]))
    fetched = record(pd.DataFrame(), "fetch", log="computed_data")
    with pytest.raises(el.MixedLogsError, match="holds 'computed_data', not"):
        log_of(fetched, "standard_mode_logs")
    with pytest.raises(el.MixedLogsError, match="'stp_s' is a field"):
        log_of(pd.DataFrame(columns=["stp_s"]), "computed_data")


def test_missing_columns_are_named_with_the_purpose() -> None:
    require(pd.DataFrame(columns=["stp"]), ["stp"], purpose="pace")
    with pytest.raises(
        el.FieldError, match="pace needs 'cad', 'vld', which this table does not have"
    ):
        require(pd.DataFrame(columns=["stp"]), ["cad", "stp", "vld"], purpose="pace")


def test_between_takes_the_intervals_that_close_inside() -> None:
    frame = steps(
        "2026-10-24 09:00:00", "2026-10-24 09:00:15", "2026-10-24 17:00:00", "2026-10-24 17:00:15"
    )
    assert between(frame, "09:00", "17:00")["stp"].tolist() == [1.0, 2.0]


def test_between_goes_over_midnight_and_up_to_24_hours() -> None:
    frame = steps(
        "2026-10-24 00:00:00", "2026-10-24 05:00:00", "2026-10-24 12:00:00", "2026-10-24 23:00:00"
    )
    assert between(frame, "22:00", "06:00")["stp"].tolist() == [0.0, 1.0, 3.0]
    assert between(frame, "12:00", "24:00")["stp"].tolist() == [0.0, 3.0]
    assert len(between(frame, "00:00", "24:00")) == 4


def test_between_uses_the_clock_of_the_frame_and_keeps_its_story() -> None:
    frame = record(steps("2026-10-24 01:00:00", tz="Asia/Tokyo"), "fetch", log="computed_data")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = between(frame, "00:30", "01:00")
    assert len(found) == 1
    assert found.attrs == frame.attrs


@pytest.mark.parametrize("text", ["9:00", "25:00", "09:60", "", "noon", "24:00:01"])
def test_anything_but_a_clock_time_is_refused(text: str) -> None:
    with pytest.raises(el.ConfigurationError, match="not a clock time"):
        between(steps("2026-10-24"), text, "17:00")


def test_between_needs_stamps() -> None:
    with pytest.raises(el.ConfigurationError, match="DatetimeIndex"):
        between(pd.DataFrame({"stp": [1.0]}), "09:00", "17:00")


def test_the_index_has_no_frequency_even_where_the_stamps_are_regular() -> None:
    index = pd.date_range("2026-10-24", periods=3, freq="15s", tz="UTC")
    frame = pd.DataFrame({"stp": np.arange(3.0)}, index=index)
    assert conform(frame, "computed_data").index.freq is None
    assert frame.index.freq is not None


@pytest.mark.parametrize("other", [None, 3, pd.Series([1.0])])
def test_anything_but_a_frame_is_refused(other: object) -> None:
    with pytest.raises(el.ConfigurationError, match="DataFrame"):
        log_of(other)


def test_a_column_that_is_nearly_there_is_named() -> None:
    with pytest.raises(el.FieldError, match="did you mean 'steps'"):
        require(pd.DataFrame(columns=["steps"]), ["stepz"], purpose="the figure")


HOUR = pd.date_range("2026-10-24 01:00", periods=3, freq="h", tz="UTC", unit="us")


@pytest.mark.parametrize(
    ("log", "seconds"), [("computed_data", 15.0), ("standard_mode_logs", 60.0)]
)
def test_a_row_of_a_raw_frame_lasts_the_interval_of_its_log_however_many_are_missing(
    log: str, seconds: float
) -> None:
    bare = pd.DataFrame({"tl_yav": [1.0, 2.0, 3.0]}, index=HOUR)
    assert interval_seconds(record(bare.copy(), "fetch", log=log)) == seconds
    assert interval_seconds(bare, log) == seconds
    assert interval_seconds(record(bare.iloc[:1].copy(), "fetch", log=log)) == seconds


def test_a_row_of_a_resampled_frame_lasts_its_bin_and_one_value_alone_shows_no_length() -> None:
    bins = el.resample(el.sample("standard_mode_logs"), "10min")
    assert interval_seconds(bins) == 600
    assert interval_seconds(bins["stp_s"]) == 600
    assert np.isnan(interval_seconds(bins["stp_s"].iloc[:1]))


def test_a_row_of_a_bare_or_a_daily_table_lasts_the_median_distance() -> None:
    assert interval_seconds(pd.Series([1.0, 2.0, 3.0], index=HOUR)) == 3600
    mixed = HOUR[[2, 0, 0, 2]]  # neither in order nor unique
    assert interval_seconds(pd.Series(np.zeros(4), index=mixed)) == 7200
    assert interval_seconds(el.daily(el.sample())["worn_h"]) == 86_400
    assert interval_seconds(el.daily(el.resample(el.sample(), "1h"))) == 86_400


def test_a_column_that_pandas_has_averaged_since_lasts_the_distance_of_its_rows() -> None:
    hourly = el.sample()["tl_yav"].resample("1h").mean()
    hourly.attrs = el.sample().attrs
    assert interval_seconds(hourly) == 3600


def test_fewer_than_two_rows_of_nothing_stated_have_no_known_length() -> None:
    bare = pd.Series([1.0, 2.0, 3.0], index=HOUR)
    assert np.isnan(interval_seconds(bare.iloc[:1]))
    assert np.isnan(interval_seconds(bare.iloc[:0]))
    assert np.isnan(interval_seconds(el.daily(el.sample()).iloc[:1]))


# One wearer, one device

DAY = el.sample("standard_mode_logs").loc["2026-10-21"]


def refused(frame: pd.DataFrame, words: str) -> None:
    for each in (frame, frame.sort_index()):
        with pytest.raises(el.ConfigurationError, match=words) as caught:
            one_source(each, what="states")
        assert "\n" not in str(caught.value)


def moved(seconds: int) -> pd.DataFrame:
    return DAY.set_axis(DAY.index + pd.Timedelta(seconds, "s"))


@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_the_sample_is_of_one_wearer(log: str) -> None:
    frame = el.sample(log)
    for each in (frame, frame.iloc[:0], frame.iloc[:1], frame.iloc[::-1], frame.iloc[::3]):
        one_source(each, what="states")


@pytest.mark.parametrize("seconds", [1, 7, 30, 59])
def test_two_devices_one_after_the_other_row_by_row_are_refused(seconds: int) -> None:
    both = pd.concat([DAY, moved(seconds)])
    refused(both, r"states takes .*rows of this frame overlap by \d.* from 2026-10-2.*device=")
    refused(pd.concat([DAY, moved(seconds).iloc[:20]]), "overlap by")


def test_two_wearers_on_the_same_stamps_are_refused() -> None:
    other = DAY.assign(stp_s=DAY["stp_s"] + 1)
    refused(pd.concat([DAY, other]), rf"different values on {len(DAY):,} stamps \(the first")


def test_repeats_with_the_same_values_are_not_a_mixture() -> None:
    one_source(pd.concat([DAY, DAY]).sort_index(), what="states")
    less = DAY.drop(columns=["stp_s"])
    one_source(pd.concat([DAY, less]).sort_index(), what="states")


def test_a_table_of_several_wearers_is_known_by_its_index() -> None:
    table = pd.concat({"P01": DAY, "P02": DAY}, names=["account", "date"])
    with pytest.raises(el.ConfigurationError, match=r"\(P01, P02\): pass one, table\.xs\('P01'"):
        one_source(table, what="states")


@given(
    st.lists(st.sampled_from([60, 60, 60, 61, 90, 3600, 59, 45, 1]), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_records_that_overlap_share_their_time_and_what_a_late_stamp_has_to_spare_is_not_lost(
    distances: list[int], random: st.DataObject
) -> None:
    seconds = np.cumsum([0, *distances])
    index = pd.Timestamp("2026-10-20", tz="UTC") + pd.to_timedelta(seconds, unit="s")
    try:
        share = own_share(pd.DatetimeIndex(index), 60.0)
    except ConfigurationError:
        return  # two sources
    if share is None:
        assert min(distances) >= 60
        return
    assert ((share >= 0) & (share <= 1)).all()
    assert share[0] == 1
    # Each record keeps at least the time since the one before, and never more than is its own.
    since = np.minimum(np.diff(seconds), 60) / 60
    assert (share[1:] >= since - 1e-12).all()
    covered = np.minimum(np.diff(seconds), 60).sum() + 60
    # A late stamp lets both of its neighbours look early.
    spare = 2 * np.clip(np.diff(seconds) - 60, 0, None).sum()
    assert covered - 1e-9 <= share.sum() * 60 <= covered + spare + 1e-9
    order = list(range(len(index)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = own_share(pd.DatetimeIndex(index[order]), 60.0)
    assert shuffled is not None
    np.testing.assert_allclose(shuffled, share[order])


def test_a_connection_that_starts_anew_counts_its_seconds_once() -> None:
    index = stamps("2026-10-20 10:00", "2026-10-20 10:01", "2026-10-20 10:01:15")
    share = own_share(index, 60.0)
    assert share is not None
    assert share.tolist() == [1, 1, 0.25]
    # A stamp that is 2 seconds late is followed by one that looks 2 seconds early.
    late = stamps("2026-10-20 10:00", "2026-10-20 10:01:02", "2026-10-20 10:02")
    found = own_share(late, 60.0)
    assert found is not None
    assert found.tolist() == [1, 1, 1]


@pytest.mark.parametrize("late_s", [4, 7, 11])
@pytest.mark.parametrize("log", LOGS)
def test_a_log_that_stands_twice_in_a_frame_is_refused(log: str, late_s: int) -> None:
    frame = el.simulate("2026-10-19", 1, log=log, seed=1, tz="Asia/Tokyo")
    again = frame.set_axis(frame.index + pd.Timedelta(late_s, "s"))
    both = pd.concat([frame, again.iloc[:400]]).sort_index()
    for ask in (
        el.daily,
        el.coverage,
        lambda f: el.resample(f, "10min"),
        el.states,
    ):
        with pytest.raises(
            ConfigurationError, match=r"rows of this frame overlap by .* 2026-10-19"
        ):
            ask(both)


@given(st.integers(1, 59))
def test_a_reconnect_now_and_then_is_one_source_whatever_its_phase(early_s: int) -> None:
    index = pd.date_range("2026-10-20", periods=600, freq="60s", tz="UTC", unit="us")
    earlier = index - pd.to_timedelta(np.arange(600) // 200 * early_s, unit="s")
    frame = pd.DataFrame({"wea_s": 60.0}, index=earlier.rename("date"))
    one_source(frame, what="states")
    share = own_share(frame.index, 60.0)
    assert share is not None
    assert share.sum() * 60 == pytest.approx(600 * 60 - 2 * early_s)


def test_stamps_that_repeat_and_tables_of_several_wearers_are_refused() -> None:
    frame = el.sample().iloc[:10]
    with pytest.raises(ConfigurationError, match="several rows with one stamp"):
        el.daily(pd.concat([frame, frame]))
    cohort = pd.concat({"P01": frame, "P02": frame}, names=["account"])
    with pytest.raises(ConfigurationError, match=r"of several \(P01, P02\): .*xs\('P01'"):
        one_source(cohort, what="states")
