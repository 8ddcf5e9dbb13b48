"""The row of states above a week at a glance."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import StepPatch

import eyelog as el
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.drawn import artists, legend_of, note_of

ZONE = "Asia/Tokyo"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-08-31", 28, log="standard_mode_logs", seed=3, tz=ZONE)


def heights(ax: Axes, name: str) -> list[np.ndarray]:
    """Return the shares of a state in the columns of each day on which it occurs."""
    of = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    return [
        np.nan_to_num(patch.get_data().values - patch.get_data().baseline)
        for patch in of
        if patch.get_label() == name
    ]


def test_a_row_above_the_panels_shows_the_share_of_each_half_hour(frame: pd.DataFrame) -> None:
    made = el.plot_week(el.daily(frame), states=el.states(frame))
    assert made[0].get_title(loc="left") == "State (0 to 24 h)"
    assert made[1].get_title(loc="left") == "Worn (h per day)"
    last = el.states(frame).loc["2026-09-27 00:00:01":]
    assert last.index[0].date() == pd.Timestamp("2026-09-27").date()
    # A stamp closes its minute: the first one of a half-hour is 1 minute after it began.
    walked = (last == "walking").groupby((last.index - pd.Timedelta("1min")).floor("30min")).sum()
    expected = np.zeros(48)
    expected[walked.index.hour * 2 + walked.index.minute // 30] = walked.to_numpy() / 30
    assert heights(made[0], "walking")[-1] == pytest.approx(expected, abs=1 / 30)
    assert walked.sum() > 30


def test_a_frame_and_its_states_give_the_same_row(frame: pd.DataFrame) -> None:
    days = el.daily(frame)
    first, second = (el.plot_week(days, states=given)[0] for given in (frame, el.states(frame)))
    for name in ("usable", "walking", "noisy", "not worn"):
        for left, right in zip(heights(first, name), heights(second, name), strict=True):
            assert left == pytest.approx(right, abs=1e-6)


def test_the_legend_names_the_states_that_occur_and_no_record_only_where_it_is_seen(
    frame: pd.DataFrame,
) -> None:
    days = el.daily(frame)
    names = legend_of(el.plot_week(days, states=frame)[0])
    assert {"usable", "walking", "not worn"} <= set(names)
    full = pd.Series("usable", pd.date_range("2026-09-21 00:01", "2026-09-28", freq="min", tz=ZONE))
    full = full.astype(el.states(frame).dtype)
    names = legend_of(el.plot_week(days, states=full)[0])
    assert "no record" not in names
    assert "walking" not in names
    gone = full.drop(full["2026-09-23 10:00":"2026-09-23 12:00"].index)
    assert "no record" in legend_of(el.plot_week(days, states=gone)[0])


def test_an_hour_that_a_day_lacks_is_white_and_not_hatched() -> None:
    frame = el.simulate("2026-03-09", 21, log="standard_mode_logs", seed=3, tz="Europe/Berlin")
    assert frame.index[-1] > pd.Timestamp("2026-03-29", tz="Europe/Berlin")
    row = el.plot_week(el.daily(frame), states=frame)[0]
    (cover,) = artists(row, "skipped")
    day = cover.get_x() + cover.get_width() / 2
    assert day == pytest.approx(6 - 0.44 + 0.88 * 2.5 / 24)


def test_states_of_other_days_are_refused_with_both_ranges(frame: pd.DataFrame) -> None:
    days = el.daily(frame)
    with pytest.raises(
        el.ConfigurationError,
        match=r"has states from 2026-08-31 to 2026-09-1\d, and none from 2026-09-21 to 2026-09-27",
    ):
        el.plot_week(days, states=el.states(frame).loc[:"2026-09-10"])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda states: states.astype(str), "takes the states of eyelog.states"),
        (lambda states: states.iloc[::-1], r"in order: pass states.sort_index\(\)"),
        (lambda states: states.iloc[::10], "a minute at most, and these last 600 s"),
        (lambda states: states.reset_index(drop=True), "indexed by time-zone aware stamps"),
    ],
)
def test_what_is_not_the_states_of_a_wearer_is_refused(
    frame: pd.DataFrame, spoil: object, said: str
) -> None:
    with pytest.raises(el.ConfigurationError, match=said):
        el.plot_week(el.daily(frame), states=spoil(el.states(frame)))


def diary(*events: tuple[str, str | None, str], tz: str = ZONE) -> pd.DataFrame:
    """Return a diary of starts, ends (None for a moment) and labels."""
    table = pd.DataFrame(events, columns=["start", "end", "label"])
    ends = [pd.to_datetime(table[name]).dt.tz_localize(tz) for name in ("start", "end")]
    return table.assign(start=ends[0], end=ends[1])


def place(day: int, hour: float) -> float:
    """Return where an hour of a day is along the row."""
    return day - 0.44 + 0.88 * hour / 24


def lane(ax: Axes) -> list[tuple[float, float]]:
    """Return both ends along x of all marks in the lane, in the order in which they were drawn."""
    segments = [part for marks in artists(ax, "in lane") for part in marks.get_segments()]
    return [(part[0, 0], part[-1, 0]) for part in segments]


def test_events_are_marked_above_the_states_at_their_time(frame: pd.DataFrame) -> None:
    events = diary(
        ("2026-09-21 14:00", None, "new desk"),
        ("2026-09-23 00:00", None, "fasting"),
        ("2026-09-26 09:00", "2026-09-27 18:00", "Kyoto"),
        ("2026-08-31 09:00", "2026-09-01 18:00", "before the week"),
        ("2026-09-28 00:00", None, "after the week"),
    )
    row = el.plot_week(el.daily(frame), states=frame, events=events)[0]
    assert row.get_title(loc="left") == "State (0 to 24 h), diary above"
    expected = [
        (place(0, 14), place(0, 14)),
        (place(2, 0), place(2, 0)),
        (place(5, 9), place(5, 24)),
        (place(6, 0), place(6, 18)),
    ]
    assert np.array(lane(row)) == pytest.approx(np.array(expected))
    assert [text.get_text() for text in row.texts] == ["new desk", "fasting", "Kyoto"]
    assert "event" in legend_of(row)


def test_an_event_that_began_before_the_week_is_named_on_the_first_day(frame: pd.DataFrame) -> None:
    events = diary(("2026-09-10 09:00", "2026-09-22 00:00", "holiday"))
    row = el.plot_week(el.daily(frame), states=frame, events=events)[0]
    assert np.array(lane(row)) == pytest.approx(np.array([(place(0, 0), place(0, 24))]))
    assert [text.get_text() for text in row.texts] == ["holiday"]


def test_an_event_over_the_hour_that_comes_twice_is_marked_in_both_passes() -> None:
    frame = el.simulate("2026-10-05", 21, log="standard_mode_logs", seed=3, tz="Europe/Berlin")
    events = diary(("2026-10-24 23:30", "2026-10-25 01:10", "night"), tz="UTC")
    row = el.plot_week(el.daily(frame), states=frame, events=events)[0]
    expected = [(place(6, 1.5), place(6, 3)), (place(6, 2), place(6, 2 + 1 / 6))]
    assert np.array(lane(row)) == pytest.approx(np.array(expected))
    assert [text.get_text() for text in row.texts] == ["night"]


def test_a_minute_has_a_mark_that_is_seen(frame: pd.DataFrame) -> None:
    events = diary(("2026-09-24 12:00", "2026-09-24 12:01", "pill"))
    row = el.plot_week(el.daily(frame), states=frame, events=events)[0]
    (tick,) = artists(row, "begins")
    assert tick.get_segments()[0][:, 0] == pytest.approx(place(3, 12))


def walks(n: int) -> pd.DataFrame:
    """Return a diary of so many walks of an hour in the week, of five kinds."""
    starts = pd.Timestamp("2026-09-21", tz=ZONE) + np.arange(n) * (pd.Timedelta("7D") / n)
    labels = [f"walk {number % 5}" for number in range(n)]
    return pd.DataFrame({"start": starts, "end": starts + pd.Timedelta("1h"), "label": labels})


def test_a_figure_with_a_diary_is_pickled(frame: pd.DataFrame) -> None:
    figure = el.plot_week(el.daily(frame), states=frame, events=walks(150))[0].figure
    again = pickle.loads(pickle.dumps(figure))
    again.canvas.draw()
    assert len(again.legends) == 1


def test_many_events_are_numbered_with_a_key(frame: pd.DataFrame) -> None:
    starts = pd.date_range("2026-09-21 08:00", periods=26, freq="6h")
    events = diary(*((str(start), None, f"a meeting, no. {i}") for i, start in enumerate(starts)))
    row = el.plot_week(el.daily(frame), states=frame, events=events)[0]
    row.figure.canvas.draw()
    assert [text.get_text() for text in row.texts] == [str(number) for number in range(1, 27)]
    assert "26\N{NO-BREAK SPACE}a meeting, no. 25" in note_of(row)


def test_a_diary_without_states_names_what_to_pass(frame: pd.DataFrame) -> None:
    events = diary(("2026-09-21 14:00", None, "new desk"))
    with pytest.raises(el.ConfigurationError, match="pass states= too"):
        el.plot_week(el.daily(frame), events=events)
    with pytest.raises(el.ConfigurationError, match="columns start, end and label"):
        el.plot_week(el.daily(frame), states=frame, events=events.drop(columns="label"))


def test_the_row_looks_as_stored(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    made = el.plot_week(el.daily(frame), states=frame)
    assert_looks_as_stored(made[0], "week_states", tmp_path)
