"""A rate with its interval: by hour, weekday, day, week or label."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.drawn import artists, heights, legend_of, one, points


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


def test_a_row_whose_interval_is_not_of_the_wearer_is_hollow_with_its_reason(
    frame: pd.DataFrame,
) -> None:
    table = el.blinks.rate(frame, by="weekend", of="wearer")  # two days of a weekend are too few
    ax = el.plot_rate(table)
    assert [place[1] for place in points(ax, "value")] == [0.0]
    assert [place[1] for place in points(ax, "of these minutes")] == [1.0]
    assert legend_of(ax)[:2] == [
        "blink rate with 95 % interval of this wearer",
        "blink rate with 95 % interval of these minutes: fewer than 5 days",
    ]


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
        (rates(pd.Index(["a"]), rate_per_min=["x"]), "'rate_per_min' holds text or times"),
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
