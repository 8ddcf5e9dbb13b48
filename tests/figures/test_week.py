"""The last week and month at a glance, against the wearer's own usual range."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection

import eyelog as el
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.drawn import artists, legend_of, points

DAYS = 70


def table(**changes: dict[int, float]) -> pd.DataFrame:
    """Return ten weeks of days with some values of the last week replaced, by column and day."""
    noise = np.random.default_rng(3).normal(0, 1, (4, DAYS))
    days = pd.DataFrame(
        {
            "worn_h": 12.0 + 0.5 * noise[0],
            "valid_h": 9.0 + 0.5 * noise[0],
            "blink_rate_per_min": 14.0 + noise[1],
            "steps": (6000.0 + 500 * noise[2]).round(),
            "tilt_fore_aft_deg": -8.0 + noise[3],
        },
        index=pd.date_range("2026-08-17", periods=DAYS, name="day"),
    )
    for name, values in changes.items():
        for day, value in values.items():
            days.iloc[DAYS - 7 + day, days.columns.get_loc(name)] = value
    days["blink_rate_low"] = days["blink_rate_per_min"] - 0.4
    days["blink_rate_high"] = days["blink_rate_per_min"] + 0.4
    return days


def numbers_above(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_each_quantity_has_a_panel_with_the_last_seven_days() -> None:
    days = table()
    made = el.plot_week(days)
    assert [ax.get_title(loc="left") for ax in made] == [
        "Worn (h per day)",
        "Blink rate (per min)",
        "Steps (per day)",
        "Tilt fore-aft (deg)",
    ]
    values = days["blink_rate_per_min"].iloc[-7:]
    assert [place[1] for place in points(made[1], "full days")] == values.tolist()
    assert numbers_above(made[1]) == [f"{value:.1f}" for value in values]
    assert [tick.get_text() for tick in made[0].get_xticklabels()][:2] == ["Mon 19", "Tue 20"]


def test_the_band_of_a_day_is_the_usual_range_by_the_days_before() -> None:
    days = table()
    last = el.baseline.personal(days, "steps").iloc[-1]
    band = artists(el.plot_week(days)[2], "usual range")[-1]
    assert band.get_y() == pytest.approx(last["low"])
    assert band.get_y() + band.get_height() == pytest.approx(last["high"])


def test_a_day_that_stands_out_has_a_ring_an_arrow_and_a_bold_number() -> None:
    made = el.plot_week(table(blink_rate_per_min={2: 30.0}, steps={4: 100.0}))
    assert points(made[1], "stands out") == [[2, 30]]
    up, down = made[1].texts[2], made[2].texts[4]
    assert (up.get_text(), down.get_text()) == ("▲30.0", "▼100")
    assert up.get_fontweight() == "bold"
    assert "stands out (▲ above, ▼ below)" in legend_of(made[1])


def test_a_value_outside_its_band_that_fails_the_correction_has_no_ring() -> None:
    days = table()
    value = el.baseline.personal(days, "blink_rate_per_min")["high"].iloc[-1] + 0.05
    made = el.plot_week(table(blink_rate_per_min={6: value}))
    assert el.baseline.personal(table(blink_rate_per_min={6: value}), "blink_rate_per_min")[
        "outside"
    ].iloc[-1]
    assert artists(made[1], "stands out") == []


def test_a_thin_day_is_hollow_and_never_stands_out() -> None:
    made = el.plot_week(table(worn_h={2: 5.0}, blink_rate_per_min={2: 30.0}))
    assert points(made[1], "thin days") == [[2, 30]]
    thin = artists(made[1], "thin days")[0]
    assert isinstance(thin, PathCollection)
    assert thin.get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert artists(made[1], "stands out") == []
    assert "thin: under 8 h worn" in legend_of(made[1])


def test_the_week_and_the_usual_value_stand_beside_each_other() -> None:
    days = table(worn_h={2: 5.0})
    counted = days["steps"].iloc[-7:][days["worn_h"].iloc[-7:] >= 8].median()
    usual = el.baseline.personal(days, "steps")["baseline"].iloc[-7:].median()
    right = el.plot_week(days)[2].get_title(loc="right")
    assert right == f"week {counted:,.0f} · usual {usual:,.0f}"


def test_a_first_week_has_values_and_no_range() -> None:
    made = el.plot_week(table().iloc[:3])
    assert artists(made[0], "usual range") == []
    assert len(numbers_above(made[0])) == 3
    assert "usual" not in made[0].get_title(loc="right")


def test_one_day_has_no_median_of_a_week() -> None:
    assert el.plot_week(table().iloc[:1])[0].get_title(loc="right") == ""


def test_numbers_of_five_digits_are_in_thousands() -> None:
    ax = el.plot_week(table(steps={0: 12_345.0, 1: 5_678.0}))[2]
    assert numbers_above(ax)[:2] == ["▲12.3k", "5.7k"]


def test_negative_angles_have_a_minus_sign() -> None:
    assert numbers_above(el.plot_week(table())[3])[0].startswith("\N{MINUS SIGN}")


def test_several_rows_of_a_day_are_refused() -> None:
    days = table()
    with pytest.raises(el.ConfigurationError, match="several rows for 2026-10-25"):
        el.plot_week(pd.concat([days, days.iloc[-1:]]))


def test_a_week_without_values_is_refused_with_its_day() -> None:
    days = table()
    days.iloc[-7:] = np.nan
    with pytest.raises(el.ConfigurationError, match="the week to 2026-10-25 has no values"):
        el.plot_week(days)


@pytest.mark.parametrize(("width", "steps"), [("single", 12_345.0), ("double", 9_999.0)])
def test_numbers_and_titles_do_not_touch(width: str, steps: float, tmp_path: Path) -> None:
    every = dict.fromkeys(range(7), steps)
    made = el.plot_week(table(steps=every, blink_rate_per_min={2: 30.0, 3: 31.0}))
    figure = made[0].figure
    figure.set_size_inches({"single": 89 / 25.4, "double": 183 / 25.4}[width], 170 / 25.4)
    figure.savefig(tmp_path / "week.png")
    for ax in made:
        boxes = [text.get_window_extent() for text in ax.texts]
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
        labels = [tick.get_window_extent() for tick in ax.get_xticklabels()]
        assert all(a.x1 < b.x0 for a, b in pairwise(labels))
        right = ax._right_title
        assert ax._left_title.get_window_extent().x1 < right.get_window_extent().x0
        assert max(box.y1 for box in boxes) <= right.get_window_extent().y0


def test_the_week_looks_as_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    changed = table(worn_h={3: 0.8}, blink_rate_per_min={0: 30.0})
    assert_looks_as_stored(el.plot_week(changed)[0], "week", tmp_path)


def month(**changes: dict[int, float]) -> pd.DataFrame:
    """Return ten weeks of days with some values of the last four weeks replaced."""
    days = table()
    for name, values in changes.items():
        for day, value in values.items():
            days.iloc[DAYS - 28 + day, days.columns.get_loc(name)] = value
    return days


def test_a_month_has_a_point_for_each_of_28_days_and_no_numbers() -> None:
    days = month()
    made = el.plot_month(days)
    assert [ax.get_title(loc="left") for ax in made] == [
        ax.get_title(loc="left") for ax in el.plot_week(days)
    ]
    for ax, name in zip(
        made, ("worn_h", "blink_rate_per_min", "steps", "tilt_fore_aft_deg"), strict=True
    ):
        assert points(ax, "full days") == [
            [day, pytest.approx(value)] for day, value in enumerate(days[name].iloc[-28:])
        ]
        assert set(numbers_above(ax)) <= {"▲", "▼"}
        assert len(artists(ax, "usual range")) == 28
    assert made[2].get_title(loc="right").startswith("28 d ")


def test_mondays_of_a_month_are_named_and_months_where_they_begin() -> None:
    ax = el.plot_month(month())[0]
    ax.figure.draw_without_rendering()
    named = [tick.get_text() for tick in ax.get_xticklabels()]
    assert named == ["Mon 28 Sep", "Mon 5 Oct", "Mon 12", "Mon 19"]
    assert ax.get_xticks().tolist() == [0, 7, 14, 21]


def test_a_day_of_a_month_that_stands_out_has_a_ring_and_an_arrow_below_the_title(
    tmp_path: Path,
) -> None:
    made = el.plot_month(month(blink_rate_per_min={20: 30.0}, steps={2: 100.0}, worn_h={3: 5.0}))
    assert points(made[1], "stands out") == [[20, 30]]
    assert [ax.texts[0].get_text() for ax in made[1:3]] == ["▲", "▼"]
    assert points(made[0], "thin days") == [[3, 5]]
    figure = made[0].figure
    figure.set_size_inches(89 / 25.4, figure.get_figheight())
    figure.savefig(tmp_path / "month.png")
    title = made[1]._left_title.get_window_extent()
    assert made[1].texts[0].get_window_extent().y1 <= title.y0


def test_a_month_without_values_is_refused_with_its_day() -> None:
    days = month()
    days.iloc[-28:] = np.nan
    with pytest.raises(
        el.ConfigurationError, match=r"plot_month .* the month to 2026-10-25 has no"
    ):
        el.plot_month(days)


def test_the_month_looks_as_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    changed = month(worn_h={3: 5.0}, blink_rate_per_min={20: 30.0}, steps={9: 100.0})
    assert_looks_as_stored(el.plot_month(changed)[0], "month", tmp_path)


def test_a_day_at_a_weekend_has_no_band_before_six_weeks_and_the_one_of_weekends_after() -> None:
    days = table(steps={6: 20_000.0})
    days.loc[days.index.day_of_week >= 5, "steps"] += 6000.0
    assert artists(el.plot_week(days.iloc[-21:])[2], "usual range")[-1].get_x() < 4.5
    ranges = artists(el.plot_week(days)[2], "usual range")
    assert len(ranges) == 7
    assert ranges[5].get_y() > ranges[4].get_y() + 4000.0


def test_a_range_has_no_values_that_the_quantity_cannot_take() -> None:
    days = table()
    days["blink_rate_per_min"] = np.random.default_rng(5).normal(5.0, 3.0, DAYS).clip(0.5)
    assert el.baseline.personal(days, "blink_rate_per_min")["low"].iloc[-1] < 0
    made = el.plot_week(days)[1]
    assert min(band.get_y() for band in artists(made, "usual range")) == 0.0
    assert made.get_ylim()[0] == 0.0


def test_the_legend_names_thin_days_only_if_there_are_some() -> None:
    assert not any(text.startswith("thin") for text in legend_of(el.plot_week(table())[-1]))
