"""The mean course around events, its band, single events, and how many there are."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import artists, legend_of, one, title_of, xy

AROUND = {"before": "5min", "after": "10min", "baseline": ("-5min", "-1min")}
MEAN = "mean of the events"


@pytest.fixture(scope="module")
def series() -> pd.Series:
    """Minutes of 0 that are 6 for three minutes after each full hour."""
    stamps = pd.date_range("2026-10-19", periods=24 * 60, freq="min", tz="UTC")
    return pd.Series(6.0 * (stamps.minute < 3), index=stamps, name="v")


@pytest.fixture(scope="module")
def times() -> pd.DatetimeIndex:
    return pd.date_range("2026-10-19 01:00", periods=8, freq="2h", tz="UTC")


def test_mean_single_events_baseline_and_event_are_drawn_in_the_middle_of_their_bins(
    series, times
) -> None:
    table = el.compare.events(series, times, **AROUND)
    ax = el.plot_events(table, each=el.compare.event_courses(series, times, **AROUND))
    minutes, means = xy(ax, MEAN)
    assert minutes == [minute - 0.5 for minute in range(-4, 11)]
    assert means == table["mean"].tolist()
    assert ax.get_xlim() == (-5, 10)
    singles = one(ax, "each event").get_segments()
    assert len(singles) == len(times)
    assert singles[0][:, 1].tolist() == [0] * 5 + [6] * 3 + [0] * 7
    window = one(ax, "baseline")
    assert (window.get_x(), window.get_x() + window.get_width()) == (-5, -1)
    assert one(ax, "the event").get_xdata() == [0, 0]
    assert title_of(ax) == "Mon 19 Oct 2026 · 8 events"


def test_a_change_is_drawn_from_its_own_columns(series, times) -> None:
    table = el.compare.events(series + 3.0, times, **AROUND)
    ax = el.plot_events(table, change=True)
    assert xy(ax, MEAN)[1] == table["change"].tolist()
    assert ax.get_ylabel().startswith("Change:")


def test_the_events_behind_each_bin_are_shown_beneath(series, times) -> None:
    holed = series.copy()
    holed["2026-10-19 01:01":"2026-10-19 01:02"] = np.nan
    table = el.compare.events(holed, times, **AROUND)
    (below,) = el.plot_events(table).child_axes
    assert [bar.get_height() for bar in below.patches] == table["n"].tolist()


def test_few_events_have_no_band_and_none_is_said(series, times) -> None:
    few, enough = (el.compare.events(series, some, **AROUND) for some in (times[:3], times))
    bands = ["95 % band" in legend_of(el.plot_events(table)) for table in (few, enough)]
    assert bands == [False, True]
    ax = el.plot_events(el.compare.events(series, [], **AROUND))
    assert [text.get_text() for text in ax.texts] == ["no usable values"]
    assert title_of(ax) == "0 events"


def test_one_of_several_fields_is_named() -> None:
    frame = el.sample("standard_mode_logs")
    walks = el.gait.bouts(frame)["start"][:6]
    around = {"before": "3min", "after": "3min"}
    table = el.compare.events(frame, walks, fields=["hm_yo", "tl_yav"], **around)
    assert el.plot_events(table, "tl_yav").get_ylabel() == "Tilt fore-aft (deg)"
    with pytest.raises(el.ConfigurationError, match=r"has 2: name one, such as .*'hm_yo'"):
        el.plot_events(table)
    with pytest.raises(el.FieldError, match="'stp_s'"):
        el.plot_events(table, "stp_s")
    other = el.compare.event_courses(frame, walks, fields="hm_po", **around)
    with pytest.raises(el.FieldError, match="single events"):
        el.plot_events(table, "hm_yo", each=other)


def test_the_band_that_decides_is_drawn_darker_than_the_pointwise_one() -> None:
    index = pd.date_range("2026-10-19", periods=1440, freq="min", tz="UTC")
    noise = pd.Series(np.random.default_rng(1).normal(size=1440), index=index, name="v")
    table = el.compare.events(noise, index[60::60][:20], **AROUND)
    ax = el.plot_events(table, change=True)
    of_all, of_each = one(ax, "95 % band of all offsets"), one(ax, "95 % band of each offset")
    # The lighter one is drawn over the darker one, and lets nothing through.
    assert of_each.get_zorder() > of_all.get_zorder()
    dark, light = (tuple(band.get_facecolor()[0]) for band in (of_all, of_each))
    assert dark[3] == light[3] == 1.0
    assert sum(light) > sum(dark)
    wide, narrow = (band.get_datalim(ax.transData).height for band in (of_all, of_each))
    assert wide > narrow
    assert artists(el.plot_events(table), "95 % band of all") == []


@pytest.mark.parametrize(
    ("around", "every", "ticks", "unit"),
    [
        ("10min", "1min", [-10, -5, 0, 5, 10], "min"),
        ("5min", "1min", [-4, -2, 0, 2, 4], "min"),
        ("3h", "1h", [-3, -2, -1, 0, 1, 2, 3], "h"),
    ],
)
def test_ticks_are_round_times_and_one_is_the_event(series, times, around, every, ticks, unit):
    table = el.compare.events(series, times, before=around, after=around, every=every)
    (below,) = el.plot_events(table).child_axes
    low, high = below.get_xlim()
    assert [tick for tick in below.get_xticks() if low <= tick <= high] == ticks
    assert below.get_xlabel() == f"Time from the event ({unit})"


def test_the_title_has_the_days_of_the_events_on_the_clock_of_the_wearer(series) -> None:
    late = pd.DatetimeIndex(["2026-10-19 14:30", "2026-10-19 16:00"], tz="UTC")
    local = series.tz_convert("Asia/Tokyo")
    table = el.compare.events(local, late, before="5min", after="5min")
    assert title_of(el.plot_events(table)) == "19 to 20 Oct 2026 · 2 events"
