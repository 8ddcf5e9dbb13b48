"""How often values occur: bars, groups, scales, shares, and the typical value."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import eyelog as el
from eyelog.figures.style import COLOURS
from support.drawn import artists, legend_of, one, title_of, xy


def series(values, freq: str = "D") -> pd.Series:
    index = pd.date_range("2026-10-19", periods=len(values), freq=freq, tz="UTC")
    return pd.Series(np.asarray(values, dtype=float), index=index)


def bars(ax) -> list[tuple[float, float]]:
    return [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in ax.patches]


def test_a_distribution_of_counts_has_a_bar_for_each_number() -> None:
    counts = series([0, 0, 1, 3, 3, np.nan])
    ax = el.plot_distribution(counts)
    assert bars(ax) == [(0, 2), (1, 1), (2, 0), (3, 2)]
    assert legend_of(ax) == ["5 values"]


def test_bars_of_a_wide_range_of_counts_hold_equally_many_numbers() -> None:
    ax = el.plot_distribution(series(np.arange(301), "min"))
    assert {bar.get_width() for bar in ax.patches} == {4.0}
    assert {bar.get_height() for bar in ax.patches[:-1]} == {4.0}


def test_the_typical_value_is_a_line_with_its_words_and_unit_beside_it() -> None:
    counts = series([0, 0, 1, 3, 3]).rename("stp")
    ax = el.plot_distribution(counts, typical=el.baseline.typical_value(counts, method="q90"))
    assert xy(ax, "typical")[0] == [3, 3]
    words = one(ax, "typical words")
    assert words.get_text() == "typical: 3 per record\n(90th percentile)"
    assert words.get_ha() == "right"  # of a line in the right half, where there is more room


def test_a_few_values_far_away_are_counted_and_not_drawn_as_one_long_axis() -> None:
    values = np.append(np.tile([1.0, 2.0, 3.0, 4.0], 250), 5000.0)
    ax = el.plot_distribution(series(values, "min"))
    assert bars(ax) == [(1, 250), (2, 250), (3, 250), (4, 250)]
    assert ax.get_xlim()[1] < 10
    assert legend_of(ax) == ["1,001 values", "1 value further out, to 5,000"]


def test_the_unit_is_that_of_the_rows_whatever_table_they_are_from() -> None:
    frame = el.sample("standard_mode_logs")
    assert el.plot_distribution(el.weekly(frame)["steps"]).get_xlabel() == "Steps (per week)"
    blinks = el.blinks.rate(frame, by="hour")["n"]
    assert el.plot_distribution(blinks).get_xlabel() != "Records"


def test_a_log_scale_says_what_it_leaves_out_and_has_no_gaps_between_counts() -> None:
    ax = el.plot_distribution(series([0, 0, 1, 2, 3, 3, 100]), scale="log")
    assert ax.get_xscale() == "log"
    assert sum(bar.get_height() for bar in ax.patches) == 5
    edges = [bar.get_x() for bar in ax.patches]
    assert edges[:3] == [0.5, 1.5, 2.5]
    assert legend_of(ax) == ["5 values", "2 values of 0 or less left out"]


def test_a_log_scale_needs_values_above_zero() -> None:
    with pytest.raises(el.ConfigurationError, match="above 0"):
        el.plot_distribution(series([0, -1]), scale="log")


def test_the_cumulative_curve_rises_from_nothing_to_all() -> None:
    x, y = xy(el.plot_distribution(series([3, 1, 2, 2]), cumulative=True), "all")
    assert x == [1, 1, 2, 2, 3]
    assert y == [0, 0.25, 0.5, 0.75, 1]


def test_groups_have_rows_of_equal_bars_with_a_mark_at_the_median() -> None:
    rng = np.random.default_rng(1)
    values = pd.Series(np.concatenate([rng.normal(0, 1, 60), rng.normal(5, 1, 40)]))
    ax = el.plot_distribution(values, by=np.repeat(["rest", "work"], [60, 40]))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["rest", "work"]
    rest, work = (one(ax, name).get_data() for name in ("rest", "work"))
    assert rest.edges.tolist() == work.edges.tolist()
    # A row is as high as the share of its own values, whatever their number.
    shares = [(row + 0.4 - part.values) for row, part in enumerate((rest, work))]
    assert shares[0].sum() == pytest.approx(shares[1].sum())
    assert xy(ax, "median of work")[0] == [float(values[60:].median())] * 2
    assert [text.get_text() for text in ax.texts] == ["n = 60", "n = 40"]


def test_groups_of_few_values_show_each_value() -> None:
    ax = el.plot_distribution(series([1, 2, 3, 4]), by=["a", "a", "b", "b"])
    assert one(ax, "b").get_offsets().tolist() == [[3, 1], [4, 1]]
    assert legend_of(ax) == ["a value", "median"]


def test_weeks_are_named_by_their_first_day_and_the_title_has_the_year() -> None:
    days = el.daily(el.simulate("2026-10-19", 15, log="standard_mode_logs"))["steps"]
    ax = el.plot_distribution(days, by="W")
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["19 Oct", "26 Oct", "2 Nov"]
    assert [text.get_text() for text in ax.texts] == ["n = 7", "n = 7", "n = 1"]
    assert title_of(ax) == "60-second log · 19 Oct to 2 Nov 2026"


def test_cumulative_groups_have_a_curve_each() -> None:
    ax = el.plot_distribution(series(range(48), "h"), by="1D", cumulative=True, stamp="start")
    assert [len(artists(ax, name)) for name in ("19 Oct", "20 Oct")] == [1, 1]
    names = list(ax.texts)
    assert [name.get_text() for name in names] == ["19 Oct  n = 24", "20 Oct  n = 24"]
    assert legend_of(ax) == []
    heights = [name.get_position()[1] for name in names]
    assert heights == [0.9, 0.1]  # the leftmost curve has its name at the top


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"by": "1D", "cumulative": True, "stamp": "start"}, "12 cumulative curves, not 20"),
        ({"by": ["a", "a"]}, "one label per row"),
        ({"scale": "root"}, "'root'"),
    ],
)
def test_what_cannot_be_grouped_or_scaled_is_refused(arguments, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        el.plot_distribution(series(range(20)), **arguments)


def test_bins_of_time_need_stamps() -> None:
    with pytest.raises(el.ConfigurationError, match="aware stamps"):
        el.plot_distribution(pd.Series([1.0, 2.0]), by="1D")


def test_a_distribution_of_nothing_says_so() -> None:
    with pytest.raises(el.ConfigurationError, match="no value"):
        el.plot_distribution(series([np.nan, np.nan]))


def test_the_axis_names_what_is_counted() -> None:
    frame = el.sample("standard_mode_logs")
    assert el.plot_distribution(frame["hm_yo"]).get_xlabel() == "Head turns (yaw) per min"
    assert el.plot_distribution(el.daily(frame)["steps"]).get_xlabel() == "Steps (per day)"


@pytest.mark.parametrize(
    ("by", "labels"),
    [
        ("weekday", ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]),
        ("weekend", ["weekday", "weekend"]),
        ("week", ["19 Oct", "26 Oct"]),
    ],
)
def test_groups_of_the_calendar_are_named_as_a_reader_writes_them(by, labels) -> None:
    ax = el.plot_distribution(series(range(14 * 24), "h"), by=by)
    assert [label.get_text() for label in ax.get_yticklabels()] == labels


def test_panels_of_one_figure_have_a_typical_value_each_beside_it() -> None:
    figure = el.compose_figure(el.sample(), "distribution")
    texts = [one(ax, "typical words").get_text() for ax in figure.axes]
    assert ["(90th percentile)" in text for text in texts] == [True, False]
    assert ["(median)" in text for text in texts] == [False, True]
    assert figure.legends == []


@pytest.mark.parametrize(
    ("field", "meaning"),
    [("stp_mid", "walking edge"), ("hm_yo", "head"), ("tl_yav", "head"), ("lc_bk_n", "usable")],
)
def test_values_are_in_the_colour_of_their_meaning(field: str, meaning: str) -> None:
    frame = el.sample("standard_mode_logs")
    edge = el.plot_distribution(frame[field]).patches[0].get_edgecolor()
    assert to_hex(edge).upper() == COLOURS[meaning]
    rows = el.plot_distribution(frame[field], by="weekend").patches[0]
    assert to_hex(rows.get_edgecolor()).upper() == COLOURS[meaning]
    curve = el.plot_distribution(frame[field], cumulative=True).lines[0]
    assert to_hex(curve.get_color()).upper() == COLOURS[meaning]


def test_no_values_are_in_the_colour_of_worn_but_not_usable() -> None:
    bar = el.plot_distribution(el.sample("standard_mode_logs")["lc_bk_n"]).patches[0]
    assert to_hex(bar.get_facecolor()).upper() != COLOURS["worn"]
