"""One wearer and one device in a frame; its log; the hours of a day that are asked for."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.logs import LOGS


def stamps(*texts: str, tz: str = "UTC") -> pd.DatetimeIndex:
    return pd.DatetimeIndex(list(texts), tz=tz)


def shares(index: pd.DatetimeIndex) -> pd.Series:
    """Return how much of each minute counts."""
    worn = {"wea_s": 60.0, "tl_xav": 0.0, "tl_yav": 0.0}
    frame = pd.DataFrame(worn, index=index.rename("date"))
    return el.intervals(frame, log="standard_mode_logs")["recorded_s"] / 60.0


def steps(*texts: str, tz: str = "UTC") -> pd.DataFrame:
    index = stamps(*texts, tz=tz)
    return pd.DataFrame({"stp": np.arange(len(index), dtype=float)}, index=index)


def test_two_logs_in_one_frame_or_story_are_refused() -> None:
    fifteen = el.sample("computed_data")[:9]
    with pytest.raises(el.MixedLogsError, match="two logs are in one frame"):
        el.flag(fifteen.assign(stp_s=1.0))
    with pytest.raises(el.MixedLogsError, match="holds 'computed_data', not"):
        el.flag(fifteen, log="standard_mode_logs")
    bare = pd.DataFrame({"stp_s": 1.0}, fifteen.index)
    with pytest.raises(el.MixedLogsError, match="'stp_s' is a field"):
        el.flag(bare, log="computed_data")


def test_between_takes_the_intervals_that_close_inside() -> None:
    frame = steps(
        "2026-10-24 09:00:00", "2026-10-24 09:00:15", "2026-10-24 17:00:00", "2026-10-24 17:00:15"
    )
    assert el.between_time(frame, "09:00", "17:00")["stp"].tolist() == [1.0, 2.0]


def test_between_goes_over_midnight_and_up_to_24_hours() -> None:
    frame = steps(
        "2026-10-24 00:00:00", "2026-10-24 05:00:00", "2026-10-24 12:00:00", "2026-10-24 23:00:00"
    )
    assert el.between_time(frame, "22:00", "06:00")["stp"].tolist() == [0.0, 1.0, 3.0]
    assert el.between_time(frame, "12:00", "24:00")["stp"].tolist() == [0.0, 3.0]
    assert len(el.between_time(frame, "00:00", "24:00")) == 4


@pytest.mark.parametrize("travelled", [False, True])
def test_between_takes_the_intervals_and_bins_that_open_inside(travelled: bool) -> None:
    frame = el.simulate("2026-10-19", 4, log="standard_mode_logs", seed=1, tz="Asia/Tokyo")
    if travelled:
        frame["utc_offset_min"] = np.where(frame.index <= "2026-10-21", 540, 0)
    for first, last in (("09:00", "17:00"), ("22:00", "06:00"), ("12:00", "24:00")):
        kept = el.between_time(frame, first, last)
        tens = el.between_time(el.intervals(frame, "10min"), first, last)
        assert_frame_equal(el.daily(tens, columns=["n", "steps"]), el.daily(kept)[["n", "steps"]])
        bins = el.between_time(el.resample(frame, "10min"), first, last)
        assert bins["n"].sum() == len(kept)
        assert bins["n"].max() == 10


def test_texts_and_stamps_of_several_zones_are_named_with_a_call_that_works() -> None:
    october = el.simulate("2026-10-24", 2, log="standard_mode_logs", tz="Europe/Berlin")
    texts = october.set_axis(october.index.map(str))
    mixed = october.set_axis(
        pd.Index([*october.index[:9], *october.index[9:].tz_convert("UTC")], dtype=object)
    )
    for frame in (texts, mixed):
        with pytest.raises(el.ConfigurationError, match="needs a time-zone aware") as caught:
            el.daily(frame)
        call = str(caught.value).split(": pass ")[1]
        table = eval(call.replace("Asia/Tokyo", "Europe/Berlin"), {"frame": frame, "pd": pd})
        assert_frame_equal(el.daily(table), el.daily(october))


@pytest.mark.parametrize("text", ["9:00", "25:00", "09:60", "", "noon", "24:00:01"])
def test_anything_but_a_clock_time_is_refused(text: str) -> None:
    with pytest.raises(el.ConfigurationError, match="not a clock time"):
        el.between_time(steps("2026-10-24"), text, "17:00")


# One wearer, one device
DAY = el.sample("standard_mode_logs").loc["2026-10-21"]


def refused(frame: pd.DataFrame, words: str) -> None:
    for each in (frame, frame.sort_index()):
        with pytest.raises(el.ConfigurationError, match=words) as caught:
            el.states(each)
        assert "\n" not in str(caught.value)


def moved(seconds: int) -> pd.DataFrame:
    return DAY.set_axis(DAY.index + pd.Timedelta(seconds, "s"))


@pytest.mark.parametrize("seconds", [1, 7, 30, 59])
def test_two_devices_one_after_the_other_row_by_row_are_refused(seconds: int) -> None:
    both = pd.concat([DAY, moved(seconds)])
    refused(both, r"states takes .*rows of this frame overlap by \d.* from 2026-10-2.*device=")
    refused(pd.concat([DAY, moved(seconds).iloc[:20]]), "overlap by")


def test_two_wearers_on_the_same_stamps_are_refused() -> None:
    other = DAY.assign(stp_s=DAY["stp_s"] + 1)
    refused(pd.concat([DAY, other]), rf"different values on {len(DAY):,} stamps \(the first")


def test_repeats_with_the_same_values_are_no_mixture_of_devices() -> None:
    for again in (DAY, DAY.drop(columns=["stp_s"])):
        with pytest.raises(el.ConfigurationError, match="with one stamp: keep the last row"):
            el.states(pd.concat([DAY, again]).sort_index())


def test_a_table_of_several_wearers_is_known_by_its_index() -> None:
    table = pd.concat({"P01": DAY, "P02": DAY}, names=["account", "date"])
    with pytest.raises(el.ConfigurationError, match=r"\(P01, P02\): pass one, table\.xs\('P01'"):
        el.states(table)


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
        share = shares(pd.DatetimeIndex(index)).to_numpy()
    except el.ConfigurationError:
        return  # two sources
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
    np.testing.assert_array_equal(shares(pd.DatetimeIndex(index[order])), share)


def test_a_connection_that_starts_anew_counts_its_seconds_once() -> None:
    index = stamps("2026-10-20 10:00", "2026-10-20 10:01", "2026-10-20 10:01:15")
    share = shares(index)
    assert share.tolist() == [1, 1, 0.25]
    # A stamp that is 2 seconds late is followed by one that looks 2 seconds early.
    late = stamps("2026-10-20 10:00", "2026-10-20 10:01:02", "2026-10-20 10:02")
    assert shares(late).tolist() == [1, 1, 1]


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
            el.ConfigurationError, match=r"rows of this frame overlap by .* 2026-10-19"
        ):
            ask(both)


@given(st.integers(1, 59))
def test_a_reconnect_now_and_then_is_one_source_whatever_its_phase(early_s: int) -> None:
    index = pd.date_range("2026-10-20", periods=600, freq="60s", tz="UTC", unit="us")
    earlier = index - pd.to_timedelta(np.arange(600) // 200 * early_s, unit="s")
    frame = pd.DataFrame({"wea_s": 60.0}, index=earlier.rename("date"))
    share = shares(frame.index)
    assert share.sum() * 60 == pytest.approx(600 * 60 - 2 * early_s)
