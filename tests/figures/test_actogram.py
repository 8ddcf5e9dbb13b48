"""Many days below each other: states, a value, or who wore the eyewear when."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

import eyelog as el
from support.drawn import artists, colour_of, days_from, legend_of, note_of, states_of

TZ = "Asia/Tokyo"


def cell(ax: Axes, row: int, hour: float, height: float = 0.5) -> str | None:
    """Return what the legend says of the colour at an hour of a row, by height; None if clear."""
    image = np.asarray(ax.images[0].get_array())
    left, right, bottom, _ = ax.images[0].get_extent()
    n = round(bottom + 0.5)
    per_row, column = image.shape[0] / n, int(hour / (right - left) * image.shape[1])
    down = row * per_row + 3 + (1 - height) * (per_row - 6)
    colour = image[int(down), column]
    if colour[3] == 0:
        return None
    names = [name for name in ax.get_legend_handles_labels()[1] if "measured" not in name]
    shown = to_hex(colour[:3])
    return next((name for name in names if colour_of(ax, name) == shown), "white")


def two_days() -> pd.Series:
    return states_of(
        [
            ("usable", "2026-10-19 06:01", "2026-10-19 06:08"),
            ("walking", "2026-10-19 06:09", "2026-10-19 06:15"),
            ("usable", "2026-10-19 08:01", "2026-10-19 14:00"),
            ("noisy", "2026-10-20 10:01", "2026-10-20 10:15"),
            ("not worn", "2026-10-20 23:46", "2026-10-21 00:00"),
        ]
    )


def diary(*rows: tuple[str, str | None, str]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["start", "end", "label"])
    for name in ("start", "end"):
        table[name] = pd.to_datetime(table[name], format="%Y-%m-%d %H:%M").dt.tz_localize(TZ)
    return table


def cohort(wearers: int, days: int = 14, seed: int = 2) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    index = pd.date_range("2026-10-05", periods=days, name="day")
    return pd.concat(
        {
            f"w{i:03}": pd.DataFrame({"worn_h": draw.uniform(2, 15, days)}, index=index)
            for i in range(wearers)
        },
        names=["account"],
    )


def test_a_column_is_stacked_by_the_shares_of_its_states_on_the_day_that_a_stamp_closes() -> None:
    ax = el.plot_actogram(two_days())[0]
    shown = [cell(ax, 0, 6.1, height) for height in (0.1, 0.5, 0.6, 0.9)]
    assert shown == ["usable", "usable", "walking", "walking"]
    assert ax.images[0].get_extent()[2] == 1.5  # two rows
    assert cell(ax, 1, 23.9) == "not worn"
    assert cell(ax, 0, 15) is None
    assert "no record" in legend_of(ax)
    single = el.plot_actogram(two_days(), double=False)[0]
    assert single.get_xlim() == (0, 24)
    assert single.images[0].get_array().shape[1] == 96


def test_an_hour_that_clocks_skip_is_blank_on_its_day_and_beside_the_day_before() -> None:
    frame = el.simulate("2026-03-28", 2, log="standard_mode_logs", tz="Europe/Berlin", seed=5)
    bars = [bar for bars in el.plot_actogram(frame)[0].containers for bar in bars]
    drawn = {(bar.get_x(), bar.get_width(), bar.get_y()) for bar in bars}
    assert {(2.0, 1.0, 0.5), (26.0, 1.0, -0.5)} <= drawn


def test_hours_worn_are_those_of_daily_but_for_parts_of_a_minute() -> None:
    frame = el.simulate("2026-10-19", 3, log="standard_mode_logs", seed=5, tz=TZ)
    widths = [bar.get_width() for bar in artists(el.plot_actogram(frame)[1], "worn, not usable")]
    assert widths == pytest.approx(el.daily(frame)["worn_h"].tolist(), rel=0.02)


def test_a_value_has_height_and_a_measured_zero_differs_from_none() -> None:
    stamps = pd.date_range("2026-10-19", periods=96, freq="15min", tz=TZ, name="date")
    values = pd.Series(np.full(96, 10.0), index=stamps, name="thing")
    values.iloc[4] = 0.0
    values.iloc[5] = np.nan
    values.iloc[6] = 5.0
    ax = el.plot_actogram(values.drop(stamps[7]))[0]
    thing = "thing: 0 to 10"
    assert legend_of(ax) == [thing, "measured 0", "no usable value", "no record"]
    assert cell(ax, 0, 0.5, 0.95) == thing
    assert (cell(ax, 0, 1.1, 0.02), cell(ax, 0, 1.1, 0.1)) == (thing, "no record")
    assert cell(ax, 0, 1.3) == "no usable value"
    assert (cell(ax, 0, 1.6, 0.4), cell(ax, 0, 1.6, 0.6)) == (thing, "no record")
    assert cell(ax, 0, 1.8) is None


def test_bins_are_drawn_where_they_open_and_records_where_they_close() -> None:
    index = pd.date_range("2026-10-19 00:01", periods=2880, freq="min", tz=TZ, name="date")
    opens = (index - pd.Timedelta("1min")).hour
    frame = el.sample("standard_mode_logs").iloc[:2880].set_axis(index)
    bins = el.resample(frame, "1h")
    bins["mine"] = np.where(bins.index.hour == 8, 9.0, 0.0)
    records = frame.assign(mine=np.where(opens == 8, 9.0, 0.0))
    for given in ((records, "mine"), (bins, "mine"), (bins["mine"],)):
        ax = el.plot_actogram(*given)[0]
        high = [
            hour
            for hour in range(24)
            if cell(ax, 1, hour + 0.5, 0.8) not in (None, "no record", "white")
        ]
        assert high == [8]


def test_rows_of_ones_own_may_be_irregular() -> None:
    seconds = [0, 60, 130, 152, 211, 270]
    stamps = pd.Timestamp("2026-10-19 09:00", tz=TZ) + pd.to_timedelta(seconds, "s")
    days = el.plot_actogram(pd.Series(np.arange(1.0, 7.0), stamps, name="own"))[0]
    assert cell(days, 0, 9.1, height=0.05) == "own: 0 to 3.5"
    assert cell(days, 0, 9.3) is None


def test_a_frame_is_judged_and_raw_values_by_themselves_are_refused_with_the_call() -> None:
    frame = el.sample("standard_mode_logs")
    masked = el.mask(frame, el.flag(frame))
    raw, judged = (el.plot_actogram(given, "hm_yo")[0] for given in (frame, masked))
    assert (raw.images[0].get_array() == judged.images[0].get_array()).all()
    with pytest.raises(el.ConfigurationError, match=r"plot_actogram\(frame, 'hm_yo'\)"):
        el.plot_actogram(frame["hm_yo"])


def test_spans_of_days_are_bars_beside_the_days_and_overlapping_ones_stand_side_by_side() -> None:
    events = diary(
        ("2026-10-19 00:00", "2026-10-21 00:00", "lenses"),
        ("2026-10-18 12:00", "2026-10-20 12:00", "travel"),
    )
    lane = el.plot_actogram(two_days(), events=events)[-1]
    first, second = (bar for bars in lane.containers for bar in bars)
    assert (first.get_y(), first.get_y() + first.get_height()) == (-0.5, 1.0)
    assert (second.get_y(), second.get_y() + second.get_height()) == (-0.5, 1.5)
    assert first.get_x() != second.get_x()
    other = el.plot_actogram(two_days(), events=diary(("2026-11-20 09:00", None, "yoga")))
    assert "diary" not in legend_of(other[0])


def test_white_cells_are_explained_and_no_record_is_named_only_where_it_is_drawn() -> None:
    table = cohort(2)
    whole = el.plot_actogram(table)[0]
    assert note_of(whole) == "rows sorted by days that count"
    joined = el.plot_actogram(table.drop([("w000", pd.Timestamp("2026-10-05"))]))[0]
    assert note_of(joined).startswith("white: before a wearer joined or after leaving; ")
    lacking = el.plot_actogram(table.drop([("w000", pd.Timestamp("2026-10-08"))]))[0]
    named = ["no record" in legend_of(ax) for ax in (whole, joined, lacking)]
    assert named == [False, False, True]


def test_the_class_of_a_cell_is_that_of_its_hours_and_a_thin_one_is_no_class() -> None:
    table = cohort(1, 4)
    table["worn_h"] = [4.0, 8.0, 12.0, 3.9]
    cells = el.plot_actogram(table)[0]
    image = np.asarray(cells.images[0].get_array())
    names = ("4 to 8 h", "8 to 12 h", "12 h worn or more")
    assert [to_hex(image[0, i, :3]) for i in range(3)] == [colour_of(cells, of) for of in names]
    (thin,) = artists(cells, "thin: under 4 h")
    ends = days_from("2026-10-05", [thin.get_x(), thin.get_x() + thin.get_width()])
    assert ends[0] < 3 < ends[1]
    many = el.plot_actogram(cohort(80))[0]  # too low to be hollow
    shown = {to_hex(colour[:3]) for colour in many.images[0].get_array().reshape(-1, 4)}
    assert colour_of(many, "thin: under 4 h") in shown


@pytest.mark.parametrize(
    ("given", "events", "words"),
    [
        (pd.DataFrame({"worn_h": [1.0]}), None, "with account and day"),
        ("week", None, "takes a frame"),
        (two_days()[::-1], None, "stamps in order"),
        (two_days().astype(str), None, "numbers or booleans, not str"),
        (cohort(2), diary(("2026-10-19 09:00", None, "yoga")), "events= of one wearer"),
        (
            pd.concat(dict.fromkeys(("anna", "ben"), el.states(el.sample())), names=["account"]),
            None,
            "takes one wearer: choose one, table.xs",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(given: object, events: object, words: str) -> None:
    with pytest.raises(el.ConfigurationError, match=words):
        el.plot_actogram(given, events=events)


@pytest.mark.parametrize("one", [1, 0])
def test_a_single_value_lasts_a_minute_and_none_is_refused(one: int) -> None:
    stamps = pd.date_range("2026-10-19", periods=one, tz="Asia/Tokyo")
    own = pd.DataFrame({"own": [1.0] * one}, stamps)
    for given, column in ((own, "own"), (own["own"], None)):
        if one:
            assert el.plot_actogram(given, column)[0].images
        else:
            with pytest.raises(el.ConfigurationError, match="nothing to draw: there are no rows"):
                el.plot_actogram(given, column)


def test_a_year_is_at_most_170_mm_high() -> None:
    stamps = pd.date_range("2026-01-01 01:00", periods=365 * 24, freq="h", tz=TZ, name="date")
    made = el.plot_actogram(pd.Series(1.0, index=stamps, name="thing"))
    assert made[0].figure.get_figheight() * 25.4 <= 170
