"""Many days below each other: states, a value, or who wore the eyewear when."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

import eyelog as el
from eyelog.figures.style import COLOURS
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.drawn import artists, legend_of, note_of, set_width
from support.states import states_of

TZ = "Asia/Tokyo"


def cell(ax: Axes, row: int, hour: float, height: float = 0.5) -> str | None:
    """Return the meaning of the colour at an hour of a row, by height within it; None if clear."""
    image = np.asarray(ax.images[0].get_array())
    left, right, bottom, _ = ax.images[0].get_extent()
    n = round(bottom + 0.5)
    per_row, column = image.shape[0] / n, int(hour / (right - left) * image.shape[1])
    gap = 3 if n <= 60 else 0
    down = row * per_row + gap + (1 - height) * (per_row - 2 * gap)
    colour = image[int(down), column]
    if colour[3] == 0:
        return None
    names = [
        *("usable", "walking", "noisy", "off pose", "not worn", "masked", "no record"),
        *("worn 4 to 8 h", "worn 8 to 12 h"),
    ]
    return next(name for name in names if np.allclose(to_rgb(COLOURS[name]), colour[:3]))


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


def test_a_column_is_stacked_by_the_shares_of_its_states() -> None:
    ax = el.plot_actogram(two_days())[0]
    assert [cell(ax, 0, 6.1, height) for height in (0.1, 0.5, 0.6, 0.9)] == [
        *("usable", "usable", "walking", "walking")
    ]


def test_a_record_stamped_at_midnight_belongs_to_the_day_that_ended() -> None:
    made = el.plot_actogram(two_days())
    assert made[0].images[0].get_extent()[2] == 1.5  # two rows
    assert cell(made[0], 1, 23.9) == "not worn"


def test_a_single_plot_has_each_day_once() -> None:
    ax = el.plot_actogram(two_days(), double=False)[0]
    assert ax.get_xlim() == (0, 24)
    assert ax.images[0].get_array().shape[1] == 96


def test_time_without_a_record_is_hatched_and_not_grey() -> None:
    ax = el.plot_actogram(two_days())[0]
    assert cell(ax, 0, 15) is None
    assert artists(ax, "no record")[0].get_hatch()


def test_hours_worn_are_those_of_daily_but_for_parts_of_a_minute() -> None:
    frame = el.simulate("2026-10-19", 3, log="standard_mode_logs", seed=5, tz=TZ)
    worn = el.plot_actogram(el.states(frame))[1]
    hours = el.daily(frame)["worn_h"]
    assert [bar.get_width() for bar in artists(worn, "worn")] == pytest.approx(
        hours.tolist(), rel=0.02
    )


def test_a_value_has_height_and_a_measured_zero_differs_from_none() -> None:
    stamps = pd.date_range("2026-10-19", periods=96, freq="15min", tz=TZ, name="date")
    values = pd.Series(np.full(96, 10.0), index=stamps, name="thing")
    values.iloc[4] = 0.0
    values.iloc[5] = np.nan
    values.iloc[6] = 5.0
    ax = el.plot_actogram(values.drop(stamps[7]))[0]
    assert cell(ax, 0, 0.5, 0.95) == "usable"
    assert (cell(ax, 0, 1.1, 0.02), cell(ax, 0, 1.1, 0.1)) == ("usable", "no record")
    assert cell(ax, 0, 1.3) == "masked"
    assert (cell(ax, 0, 1.6, 0.4), cell(ax, 0, 1.6, 0.6)) == ("usable", "no record")
    assert cell(ax, 0, 1.8) is None
    assert legend_of(ax) == ["thing: 0 to 10", "measured 0", "no usable value", "no record"]


def test_bins_are_drawn_where_they_open_and_records_where_they_close() -> None:
    index = pd.date_range("2026-10-19 00:01", periods=2880, freq="min", tz=TZ, name="date")
    opens = (index - pd.Timedelta("1min")).hour
    frame = el.sample("standard_mode_logs").iloc[:2880].set_axis(index)
    bins = el.resample(frame, "1h")
    frame["hm_yo"] = np.where(opens == 8, 9.0, 0.0)
    bins["hm_yo"] = np.where(bins.index.hour == 8, 9.0, 0.0)
    bare = pd.Series(bins["hm_yo"].to_numpy(), bins.index, name="mine")
    records = frame.assign(mine=frame["hm_yo"])
    for given in ((records, "mine"), (bins.rename(columns={"hm_yo": "mine"}), "mine"), (bare,)):
        ax = el.plot_actogram(*given)[0]
        high = [
            hour for hour in range(24) if cell(ax, 1, hour + 0.5, 0.8) not in (None, "no record")
        ]
        assert high == [8]


def test_a_frame_is_judged_and_raw_values_by_themselves_are_refused_with_the_call() -> None:
    frame = el.sample("standard_mode_logs")
    masked = el.mask(frame, el.flag(frame))
    raw, judged = (el.plot_actogram(given, "hm_yo")[0] for given in (frame, masked))
    assert (raw.images[0].get_array() == judged.images[0].get_array()).all()
    with pytest.raises(el.ConfigurationError, match=r"plot_actogram\(frame, 'hm_yo'\)"):
        el.plot_actogram(frame["hm_yo"])
    states, of_frame = (el.plot_actogram(given)[0] for given in (el.states(frame), frame))
    assert (states.images[0].get_array() == of_frame.images[0].get_array()).all()


def test_spans_of_days_are_bars_beside_the_days_and_overlapping_ones_stand_side_by_side() -> None:
    events = diary(
        ("2026-10-19 00:00", "2026-10-21 00:00", "lenses"),
        ("2026-10-18 12:00", "2026-10-20 12:00", "travel"),
    )
    first, second = artists(el.plot_actogram(two_days(), events=events)[-1], "span")
    assert (first.get_y(), first.get_y() + first.get_height()) == (-0.5, 1.0)
    assert (second.get_y(), second.get_y() + second.get_height()) == (-0.5, 1.5)
    assert first.get_x() != second.get_x()


def test_events_of_other_days_are_not_in_the_key() -> None:
    made = el.plot_actogram(two_days(), events=diary(("2026-11-20 09:00", None, "yoga")))
    assert not artists(made[0], "disc")
    assert "diary" not in legend_of(made[0])


def test_white_cells_are_explained_and_no_record_is_named_only_where_it_is_drawn() -> None:
    table = cohort(2)
    whole = el.plot_actogram(table)[0]
    assert note_of(whole) == "rows sorted by days that count"
    assert "no record" not in legend_of(whole)
    joined = el.plot_actogram(table.drop([("w000", pd.Timestamp("2026-10-05"))]))[0]
    assert note_of(joined).startswith("white: before a wearer joined or after leaving; ")
    assert "no record" not in legend_of(joined)
    lacking = el.plot_actogram(table.drop([("w000", pd.Timestamp("2026-10-08"))]))[0]
    assert "no record" in legend_of(lacking)


def test_thin_cells_that_are_filled_look_as_their_legend_and_unlike_no_record() -> None:
    ax = el.plot_actogram(cohort(80))[0]
    handles = dict(
        zip(legend_of(ax), ax.figure.legends[0].legend_handles, strict=True)  # in one order
    )
    shown = np.array(handles["thin: under 4 h"].get_facecolor()[:3])
    image = np.asarray(ax.images[0].get_array()).reshape(-1, 4)
    assert (np.abs(image[:, :3] - shown).max(axis=1) < 1e-6).any()
    assert np.all(1.0 - shown.mean() > 0.09)


def test_the_class_of_a_cell_is_that_of_its_hours() -> None:
    table = cohort(1, 4)
    table["worn_h"] = [4.0, 8.0, 12.0, 3.9]
    cells = el.plot_actogram(table)[0]
    image = np.asarray(cells.images[0].get_array())
    meanings = ("worn 4 to 8 h", "worn 8 to 12 h", "usable")
    assert [tuple(image[0, i, :3]) for i in range(3)] == [to_rgb(COLOURS[of]) for of in meanings]
    (thin,) = artists(cells, "thin")
    assert thin.get_x() < 3 < thin.get_x() + thin.get_width()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (pd.DataFrame({"worn_h": [1.0]}), "indexed by account and day"),
        ("week", "takes a frame"),
        (two_days()[::-1], "stamps in order"),
        (two_days().astype(str), "states or numbers"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given: object, words: str) -> None:
    with pytest.raises(el.ConfigurationError, match=words):
        el.plot_actogram(given)


def test_events_of_many_wearers_are_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="events= of one wearer"):
        el.plot_actogram(cohort(2), events=diary(("2026-10-19 09:00", None, "yoga")))


def test_a_year_is_at_most_170_mm_high() -> None:
    stamps = pd.date_range("2026-01-01 01:00", periods=365 * 24, freq="h", tz=TZ, name="date")
    made = el.plot_actogram(pd.Series(1.0, index=stamps, name="thing"))
    assert made[0].figure.get_figheight() * 25.4 <= 170


@pytest.mark.slow("a figure is drawn at each width")
@pytest.mark.parametrize("width_mm", [89, 183])
@pytest.mark.parametrize("kind", ["days", "one day", "12 wearers", "300 wearers"])
def test_no_texts_touch(kind: str, width_mm: float, tmp_path: Path) -> None:
    if kind.endswith("wearers"):
        made = el.plot_actogram(cohort(int(kind.split()[0]), 28))
    else:
        start, last = (
            "2026-10-19 06:01",
            "2026-10-19 20:00" if kind == "one day" else "2026-11-20 20:00",
        )
        events = diary(("2026-10-19 07:00", None, "a"), ("2026-10-19 09:00", None, "b"))
        made = el.plot_actogram(states_of([("usable", start, last)]), events=events)
    figure = made[0].figure
    set_width(figure, width_mm)
    figure.savefig(tmp_path / "actogram.png")
    for ax in made:
        across = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
        assert all(a.x1 < b.x0 for a, b in pairwise(across))
        down = [label.get_window_extent() for label in ax.get_yticklabels() if label.get_text()]
        ordered = sorted(down, key=lambda box: box.y0)
        assert all(a.y1 <= b.y0 + 1 for a, b in pairwise(ordered))
    names = [
        ax.xaxis.label.get_window_extent()
        for ax in made
        if ax.get_xlabel() and ax.xaxis.get_visible()
    ]
    assert all(a.x1 < b.x0 for a, b in pairwise(sorted(names, key=lambda box: box.x0)))
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 <= min([box.y0 for box in names], default=np.inf)
    discs = [text.get_window_extent() for text in made[0].texts]
    assert not any(a.overlaps(b) for i, a in enumerate(discs) for b in discs[:i])


def test_it_looks_as_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    frame = el.simulate("2026-10-12", 7, log="standard_mode_logs", seed=1, tz="Asia/Tokyo")
    assert_looks_as_stored(el.plot_actogram(el.states(frame))[0], "actogram", tmp_path)
