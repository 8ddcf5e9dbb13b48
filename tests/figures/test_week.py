"""The last week and month at a glance, against the wearer's own usual range, and their states."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import eyelog as el
from support.drawn import artists, days_from, legend_of, note_of, one, points

DAYS = 70
ZONE = "Asia/Tokyo"
FIRST = "2026-10-19"
RING = "stands out (▲ above, ▼ below)"
THIN = "thin: under 8 h worn"


def table(last: int = 7, **changes: dict[int, float]) -> pd.DataFrame:
    """Return ten weeks of days with some values of the last days replaced, by column and day."""
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
            days.iloc[DAYS - last + day, days.columns.get_loc(name)] = value
    days["blink_rate_low"] = days["blink_rate_per_min"] - 0.4
    days["blink_rate_high"] = days["blink_rate_per_min"] + 0.4
    return days


def numbers_above(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_each_quantity_has_a_panel_with_the_last_seven_days_and_their_numbers() -> None:
    days = table()
    made = el.plot_week(days)
    names = ["Worn (h per day)", "Blink rate (per min)", "Steps (per day)", "Tilt fore-aft (deg)"]
    assert [ax.get_title(loc="left") for ax in made] == names
    values = days["blink_rate_per_min"].iloc[-7:]
    assert [place[1] for place in points(made[1], "day")] == values.tolist()
    assert numbers_above(made[1]) == [f"{value:.1f}" for value in values]
    assert numbers_above(made[3])[0].startswith("\N{MINUS SIGN}")
    assert [tick.get_text() for tick in made[0].get_xticklabels()][:2] == ["Mon 19", "Tue 20"]
    large = el.plot_week(table(steps={0: 12_345.0, 1: 5_678.0}))[2]
    assert numbers_above(large)[:2] == ["▲12.3k", "5.7k"]


def test_the_band_of_a_day_is_the_usual_range_by_the_days_before() -> None:
    days = table()
    last = el.baseline.personal(days, "steps").iloc[-1]
    band = artists(el.plot_week(days)[2], "usual range")[-1]
    assert band.get_y() == pytest.approx(last["low"])
    assert band.get_y() + band.get_height() == pytest.approx(last["high"])


def test_a_weekend_has_no_band_before_six_weeks_and_the_one_of_weekends_after() -> None:
    days = table(steps={6: 20_000.0})
    days.loc[days.index.day_of_week >= 5, "steps"] += 6000.0
    last = artists(el.plot_week(days.iloc[-21:])[2], "usual range")[-1]
    assert days_from(FIRST, last.get_x()) < 4.5
    ranges = artists(el.plot_week(days)[2], "usual range")
    assert len(ranges) == 7
    assert ranges[5].get_y() > ranges[4].get_y() + 4000.0


def test_a_range_has_no_values_that_the_quantity_cannot_take() -> None:
    days = table()
    days["blink_rate_per_min"] = np.random.default_rng(5).normal(5.0, 3.0, DAYS).clip(0.5)
    assert el.baseline.personal(days, "blink_rate_per_min")["low"].iloc[-1] < 0
    ax = el.plot_week(days)[1]
    assert min(band.get_y() for band in artists(ax, "usual range")) == ax.get_ylim()[0] == 0.0


def test_a_day_that_stands_out_has_a_ring_an_arrow_and_a_bold_number() -> None:
    made = el.plot_week(table(blink_rate_per_min={2: 30.0}, steps={4: 100.0}))
    assert points(made[1], RING, FIRST) == [[2, 30]]
    up, down = made[1].texts[2], made[2].texts[4]
    assert (up.get_text(), down.get_text()) == ("▲30.0", "▼100")
    assert up.get_fontweight() == "bold"


def test_neither_a_value_that_fails_the_correction_nor_a_thin_day_stands_out() -> None:
    high = el.baseline.personal(table(), "blink_rate_per_min")["high"].iloc[-1] + 0.05
    days = table(blink_rate_per_min={6: high, 2: 30.0}, worn_h={2: 5.0})
    assert el.baseline.personal(days, "blink_rate_per_min")["outside"].iloc[-1]
    ax = el.plot_week(days)[1]
    assert artists(ax, RING) == []
    assert points(ax, THIN, FIRST) == [[2, 30]]
    assert one(ax, THIN).get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert THIN not in legend_of(el.plot_week(table())[0])


def test_the_week_and_the_usual_value_stand_beside_each_other() -> None:
    days = table(worn_h={2: 5.0})
    counted = days["steps"].iloc[-7:][days["worn_h"].iloc[-7:] >= 8].median()
    usual = el.baseline.personal(days, "steps")["baseline"].iloc[-7:].median()
    right = el.plot_week(days)[2].get_title(loc="right")
    assert right == f"week {counted:,.0f} · usual {usual:,.0f}"
    first = el.plot_week(days.iloc[:3])[0]
    assert artists(first, "usual range") == []
    assert "usual" not in first.get_title(loc="right")
    assert el.plot_week(days.iloc[:1])[0].get_title(loc="right") == ""


def test_what_has_no_value_or_several_of_a_day_is_refused_with_the_day() -> None:
    days = table()
    with pytest.raises(el.ConfigurationError, match="several rows for 2026-10-25"):
        el.plot_week(pd.concat([days, days.iloc[-1:]]))
    for plot, span, n in ((el.plot_week, "week", 7), (el.plot_month, "month", 28)):
        empty = days.copy()
        empty.iloc[-n:] = np.nan
        with pytest.raises(el.ConfigurationError, match=f"the {span} to 2026-10-25 has no values"):
            plot(empty)


def test_a_month_has_a_point_for_each_of_28_days_and_mondays_named() -> None:
    days = table(28, blink_rate_per_min={20: 30.0}, steps={2: 100.0}, worn_h={3: 5.0})
    made = el.plot_month(days)
    assert points(made[0], THIN, "2026-09-28") == [[3, 5]]
    assert len(points(made[0], "day")) == 27
    assert points(made[1], RING, "2026-09-28") == [[20, 30]]
    assert [ax.texts[0].get_text() for ax in made[1:3]] == ["▲", "▼"]
    assert made[2].get_title(loc="right").startswith("28 d ")
    made[0].figure.draw_without_rendering()
    named = [tick.get_text() for tick in made[0].get_xticklabels()]
    assert named == ["Mon 28 Sep", "Mon 5 Oct", "Mon 12", "Mon 19"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-08-31", 28, log="standard_mode_logs", seed=3, tz=ZONE)


def shares(ax: Axes, name: str) -> np.ndarray:
    """Return the share of a state in each half-hour, a row for each of seven days."""
    steps = one(ax, name).get_data()
    return np.append(np.nan_to_num(steps.values - steps.baseline), 0.0).reshape(7, 49)[:, :48]


def test_a_row_above_the_panels_shows_the_share_of_each_half_hour(frame: pd.DataFrame) -> None:
    made = el.plot_week(el.daily(frame), states=el.states(frame))
    assert made[0].get_title(loc="left") == "State (0 to 24 h)"
    last = el.states(frame).loc["2026-09-27 00:00:01":]
    # A stamp closes its minute: the first one of a half-hour is 1 minute after it began.
    walked = (last == "walking").groupby((last.index - pd.Timedelta("1min")).floor("30min")).sum()
    expected = np.zeros(48)
    expected[walked.index.hour * 2 + walked.index.minute // 30] = walked.to_numpy() / 30
    assert shares(made[0], "walking")[-1] == pytest.approx(expected, abs=1 / 30)
    assert walked.sum() > 30
    again = el.plot_week(frame)[0]
    for name in ("usable", "walking", "noisy", "not worn"):
        assert shares(again, name) == pytest.approx(shares(made[0], name), abs=1e-6)


def test_the_legend_names_the_states_that_occur_and_no_record_only_where_it_is_seen(
    frame: pd.DataFrame,
) -> None:
    stamps = pd.date_range("2026-09-21 00:01", "2026-09-28", freq="min", tz=ZONE)
    full = pd.Series("usable", stamps).astype(el.states(frame).dtype)
    names = legend_of(el.plot_week(el.daily(frame), states=full)[0])
    assert not {"no record", "walking"} & {*names}
    gone = full.drop(full["2026-09-23 10:00":"2026-09-23 12:00"].index)
    assert "no record" in legend_of(el.plot_week(el.daily(frame), states=gone)[0])


def test_an_hour_that_a_day_lacks_is_white_and_not_hatched() -> None:
    berlin = el.simulate("2026-03-09", 21, log="standard_mode_logs", seed=3, tz="Europe/Berlin")
    row = el.plot_week(berlin)[0]
    (cover,) = row.containers[-1]
    middle = days_from("2026-03-23", cover.get_x() + cover.get_width() / 2)
    assert middle == pytest.approx(6 - 0.44 + 0.88 * 2.5 / 24)


def test_states_of_other_days_are_refused(frame: pd.DataFrame) -> None:
    states = el.states(frame).loc[:"2026-09-10"]
    with pytest.raises(el.ConfigurationError, match="none from 2026-09-21 to 2026-09-27"):
        el.plot_week(el.daily(frame), states=states)


def diary(*events: tuple[str, str | None, str], tz: str = ZONE) -> pd.DataFrame:
    """Return a diary of starts, ends (None for a moment) and labels."""
    made = pd.DataFrame(events, columns=["start", "end", "label"])
    ends = [pd.to_datetime(made[name]).dt.tz_localize(tz) for name in ("start", "end")]
    return made.assign(start=ends[0], end=ends[1])


def lane(ax: Axes, first: str = "2026-09-21") -> list[tuple[float, float]]:
    """Return both ends, in days, of the marks above the states, along x."""
    drawn = [part for marks in ax.collections for part in getattr(marks, "get_segments", list)()]
    ends = [days_from(first, part[[0, -1], 0]) for part in drawn if part[:, 1].min() >= 1.0]
    inside = [(end + 0.44 - (end + 0.44) // 1) / 0.88 + (end + 0.44) // 1 for end in ends]
    return sorted({(round(float(one), 4), round(float(two), 4)) for one, two in inside})


def test_events_are_marked_and_named_above_the_states_at_their_time(frame: pd.DataFrame) -> None:
    events = diary(
        ("2026-09-21 12:00", None, "new desk"),
        ("2026-09-24 12:00", "2026-09-24 12:01", "pill"),
        ("2026-08-31 09:00", "2026-09-01 18:00", "before the week"),
        ("2026-09-28 00:00", None, "after the week"),
    )
    row = el.plot_week(el.daily(frame), states=frame, events=events)[0]
    assert row.get_title(loc="left") == "State (0 to 24 h), diary above"
    assert numbers_above(row) == ["new desk", "pill"]
    assert "event" in legend_of(row)
    assert (0.5, 0.5) in lane(row)
    assert (3.5, 3.5) in lane(row)  # a minute has a mark that is seen
    long = diary(("2026-09-10 09:00", "2026-09-22 12:00", "holiday"))
    row = el.plot_week(el.daily(frame), states=frame, events=long)[0]
    assert (1.0, 1.5) in lane(row)
    assert numbers_above(row) == ["holiday"]


def test_an_event_over_the_hour_that_comes_twice_is_marked_in_both_passes() -> None:
    berlin = el.simulate("2026-10-05", 21, log="standard_mode_logs", seed=3, tz="Europe/Berlin")
    events = diary(("2026-10-24 23:30", "2026-10-25 01:10", "night"), tz="UTC")
    row = el.plot_week(berlin, events=events)[0]
    hours = [[round((end - 6) * 24, 2) for end in ends] for ends in lane(row, FIRST)]
    assert [1.5, 3.0] in hours
    assert [2.0, 2.17] in hours
    assert numbers_above(row) == ["night"]


def test_many_events_are_numbered_with_a_key(frame: pd.DataFrame) -> None:
    starts = pd.date_range("2026-09-21 08:00", periods=26, freq="6h")
    events = diary(*((str(start), None, f"a meeting, no. {i}") for i, start in enumerate(starts)))
    row = el.plot_week(el.daily(frame), states=frame, events=events)[0]
    assert numbers_above(row) == [str(number) for number in range(1, 27)]
    assert "26\N{NO-BREAK SPACE}a meeting, no. 25" in note_of(row)


def test_a_diary_without_states_names_what_to_pass(frame: pd.DataFrame) -> None:
    events = diary(("2026-09-21 14:00", None, "new desk"))
    with pytest.raises(el.ConfigurationError, match="pass states= too"):
        el.plot_week(el.daily(frame), events=events)
    with pytest.raises(el.ConfigurationError, match="columns start, end and label"):
        el.plot_week(el.daily(frame), states=frame, events=events.drop(columns="label"))
