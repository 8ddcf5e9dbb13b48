"""A rate with its interval: by hour, weekday, day, week or label."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.figures.style import COLOURS
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.drawn import artists, heights, legend_of, one, points, title_of


def rates(index: pd.Index, **columns: object) -> pd.DataFrame:
    n = len(index)
    value = np.arange(10.0, 10.0 + n)
    made = {"rate_per_min": value, "low": value - 1, "high": value + 2, "exposure_min": 60.0}
    return pd.DataFrame(made | columns, index=index)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.sample()


def test_an_hour_has_its_rate_its_interval_and_the_minutes_behind_it(frame: pd.DataFrame) -> None:
    table = el.blinks.rate(frame, by="hour")
    ax = el.plot_rate(table)
    known = table[table["rate_per_min"].notna()]
    assert points(ax, "value") == [
        [hour + 0.5, rate] for hour, rate in known["rate_per_min"].items()
    ]
    segments = [segment.tolist() for segment in one(ax, "interval").get_segments()]
    assert segments == [
        [[hour + 0.5, low], [hour + 0.5, high]]
        for hour, low, high in known[["low", "high"]].itertuples()
    ]
    (below,) = ax.child_axes
    assert heights(below, "exposure") == table["exposure_min"].tolist()
    assert ax.get_ylabel() == "Blink rate (per min)"
    assert legend_of(ax) == ["blink rate with 95 % interval of these minutes", "minutes observed"]


def test_weekdays_are_named_and_weekends_are_shaded() -> None:
    ax = el.plot_rate(rates(pd.RangeIndex(7, name="weekday")))
    (below,) = ax.child_axes
    words = [label.get_text() for label in below.get_xticklabels()]
    assert words == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert len(artists(ax, "weekend")) == 1
    assert "weekend" in legend_of(ax)


def test_a_week_is_as_wide_as_its_days_and_has_its_point_in_their_middle() -> None:
    mondays = pd.DatetimeIndex(["2026-10-05", "2026-10-19"], name="week")
    ax = el.plot_rate(rates(mondays))
    assert points(ax, "value") == [[3.0, 10.0], [17.0, 11.0]]
    assert ax.get_xlim() == (-0.5, 20.5)
    assert title_of(ax) == "5 to 25 Oct 2026"


def test_labels_are_rows_with_their_exposure_beside_their_names() -> None:
    ax = el.plot_rate(rates(pd.Index(["office", "home"], name="group"), exposure_min=[30.0, 90.0]))
    assert points(ax, "value") == [[10.0, 0.0], [11.0, 1.0]]
    words = [label.get_text() for label in ax.get_yticklabels()]
    assert words == ["office  30 min", "home  1.5 h"]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "Blink rate (per min)"


def test_a_row_whose_interval_is_not_of_the_wearer_is_hollow_with_its_reason(
    frame: pd.DataFrame,
) -> None:
    table = el.blinks.rate(frame, by="weekend", of="wearer")  # two days of a weekend are too few
    ax = el.plot_rate(table)
    assert [place[1] for place in points(ax, "value")] == [0.0]
    assert [place[1] for place in points(ax, "of these minutes")] == [1.0]
    assert legend_of(ax)[:2] == [
        "blink rate with 95 % interval of this wearer",
        "blink rate with 95 % interval of these minutes: fewer than 4 days",
    ]


def test_a_table_without_intervals_says_so_by_having_none(frame: pd.DataFrame) -> None:
    ax = el.plot_rate(el.posture.head_movements(frame, by="hour"), "yaw_per_h")
    assert one(ax, "interval").get_segments() == []
    assert legend_of(ax) == ["head turns (yaw)", "minutes observed"]
    assert one(ax, "value").get_facecolor()[0, :3] == pytest.approx(
        plt.matplotlib.colors.to_rgb(COLOURS["head"])
    )


def test_the_interval_of_the_first_column_is_not_drawn_for_another() -> None:
    ax = el.plot_rate(rates(pd.RangeIndex(24, name="hour"), other=5.0), "other")
    assert one(ax, "interval").get_segments() == []


def test_an_interval_of_extraordinary_length_is_cut_with_an_arrow_at_its_end() -> None:
    table = rates(pd.RangeIndex(24, name="hour"))
    table.loc[12, ["low", "high"]] = [1.0, 400.0]
    ax = el.plot_rate(table)
    bottom, top = ax.get_ylim()
    assert bottom > 1.0
    assert top < 50.0
    arrows = artists(ax, "goes further")
    assert [arrow.get_ydata()[0] for arrow in arrows] == [bottom, top]
    assert "the interval goes further" in legend_of(ax)


def test_groups_without_a_rate_have_no_point_and_no_rate_at_all_is_said() -> None:
    table = rates(pd.RangeIndex(7, name="weekday"))
    table.loc[2, ["rate_per_min", "low", "high"]] = np.nan
    assert [place[0] for place in points(el.plot_rate(table), "value")] == [0, 1, 3, 4, 5, 6]
    table[["rate_per_min", "low", "high"]] = np.nan
    ax = el.plot_rate(table)
    assert [text.get_text() for text in ax.texts] == ["no usable values"]


def test_a_long_label_breaks_rather_than_meet_the_one_of_the_strip(frame: pd.DataFrame) -> None:
    ax = el.plot_rate(el.posture.head_movements(frame, by="hour"), "yaw_per_h")
    ax.figure.canvas.draw()
    box, beneath = (axes.yaxis.label.get_window_extent() for axes in (ax, ax.child_axes[0]))
    assert not box.overlaps(beneath)
    assert box.x0 >= 0
    assert ax.get_ylabel().replace("\n", " ") == "Head turns (yaw) (per h worn)"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            rates(pd.MultiIndex.from_product([["a", "b"], [0, 1]], names=["room", "hour"])),
            r"has room and hour: choose the rows of one, such as table\.xs\(value, level='room'\)",
        ),
        (
            rates(pd.date_range("2026-10-19", periods=3, freq="h", tz="UTC")),
            "bins of time: use by='hour' or by='1D'",
        ),
        (rates(pd.Index([f"room {i}" for i in range(26)])), "25 labels at most"),
        (rates(pd.Index([])), "there are no rows"),
        (rates(pd.Index(["a"]), rate_per_min=["x"]), "'rate_per_min' holds times or text"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_to_do(table: pd.DataFrame, words: str) -> None:
    with pytest.raises(el.ConfigurationError, match=words):
        el.plot_rate(table)


def test_it_looks_as_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    frame = el.simulate("2026-10-12", 7, log="standard_mode_logs", seed=1, tz="Asia/Tokyo")
    rates = el.blinks.rate(frame, by="hour")
    assert_looks_as_stored(el.plot_rate(rates), "rate", tmp_path)


@pytest.mark.parametrize("by", ["hour", "weekday", "weekend"])
def test_the_title_has_the_days_and_an_axis_of_hours_the_zone(by: str) -> None:
    frame = el.simulate("2026-01-05", 8, log="standard_mode_logs", seed=2, tz="Asia/Tokyo")
    sliced = frame.loc["2026-01-06":]  # begins with the record that closes the day before
    for table, days in (
        (el.blinks.rate(frame, by=by), "5 to 12 Jan 2026"),
        (el.blinks.rate(sliced, by=by), "6 to 12 Jan 2026"),
        (el.gait.pace(frame, by=by), "5 to 12 Jan 2026"),
        (el.posture.head_movements(frame, by=by), "5 to 12 Jan 2026"),
    ):
        ax = el.plot_rate(table)
        assert title_of(ax) == f"60-second log · {days}"
        if by == "hour":
            (below,) = ax.child_axes
            assert below.get_xlabel() == "Time of day (Asia/Tokyo)"
