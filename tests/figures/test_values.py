"""Values with their intervals: how often they occur, rates, pairs of two logs, bouts."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import LogNorm, to_hex

import eyelog as el
from support.drawn import heights, legend_of, note_of, one, points, title_of, xy


def series(values, freq: str = "D") -> pd.Series:
    index = pd.date_range("2026-10-19", periods=len(values), freq=freq, tz="UTC")
    return pd.Series(np.asarray(values, dtype=float), index=index)


def bars(ax) -> list[tuple[float, float]]:
    return [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in ax.patches]


def test_a_distribution_of_counts_has_a_bar_for_each_number() -> None:
    ax = el.plot_distribution(series([0, 0, 1, 3, 3, np.nan]))
    assert bars(ax) == [(0, 2), (1, 1), (2, 0), (3, 2)]
    assert legend_of(ax) == ["5 values"]
    with pytest.raises(el.ConfigurationError, match="no value"):
        el.plot_distribution(series([np.nan, np.nan]))


def test_what_is_far_away_or_has_no_place_on_a_log_scale_is_counted_in_the_note() -> None:
    ax = el.plot_distribution(series(np.append(np.tile([1.0, 2.0, 3.0, 4.0], 250), 5000.0), "min"))
    assert bars(ax) == [(1, 250), (2, 250), (3, 250), (4, 250)]
    assert ax.get_xlim()[1] < 10
    assert note_of(ax) == "1 value further out, to 5,000"
    ax = el.plot_distribution(series([0, 0, 1, 2, 3, 3, 100]), scale="log")
    assert ax.get_xscale() == "log"
    assert sum(bar.get_height() for bar in ax.patches) == 5
    assert [bar.get_x() for bar in ax.patches][:3] == [0.5, 1.5, 2.5]
    assert note_of(ax) == "2 values of 0 or less left out"


def test_the_cumulative_curve_rises_from_nothing_to_all() -> None:
    x, y = xy(el.plot_distribution(series([3, 1, 2, 2]), cumulative=True), "4 values")
    assert (x[0], x[-1], y[0], y[-1]) == (1, 3, 0, 1)
    assert dict(zip(x, y, strict=True)) == {1: 0.25, 2: 0.75, 3: 1}


def test_weeks_are_named_by_their_first_day_and_those_of_a_year_drawn_by_their_quantiles() -> None:
    days = el.daily(el.simulate("2026-10-19", 15, log="standard_mode_logs"))["steps"]
    ax = el.plot_distribution(days, by="W")
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["19 Oct", "26 Oct", "2 Nov"]
    assert [text.get_text() for text in ax.texts] == ["n = 7", "n = 7", "n = 1"]
    assert title_of(ax) == "60-second log · 19 Oct to 2 Nov 2026"
    year = el.plot_distribution(series(range(24 * 364), "h").rename("v"), by="week")
    assert len(year.get_yticklabels()) == 52
    assert sorted(legend_of(year)) == ["median", "middle 90 %", "middle half"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"by": "1D", "cumulative": True}, "12 cumulative curves, not 20"),
        ({"by": ["a", "a"]}, "one label per row"),
        ({"scale": "root"}, "'root'"),
    ],
)
def test_what_cannot_be_grouped_or_scaled_is_refused(arguments, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        el.plot_distribution(series(range(20)), **arguments)
    with pytest.raises(el.ConfigurationError, match="aware stamps"):
        el.plot_distribution(pd.Series([1.0, 2.0]), by="1D")


def test_values_are_in_the_colour_of_their_meaning() -> None:
    frame = el.sample("standard_mode_logs")
    colours = {}
    for field in ("stp_mid", "hm_yo", "tl_yav", "lc_bk_n"):
        edge = to_hex(el.plot_distribution(frame, field).patches[0].get_edgecolor())
        rows = el.plot_distribution(frame, field, by="weekend").patches[0]
        curve = el.plot_distribution(frame, field, cumulative=True).lines[0]
        assert edge == to_hex(rows.get_edgecolor()) == to_hex(curve.get_color())
        colours[field] = edge
    assert colours["hm_yo"] == colours["tl_yav"]
    assert len({*colours.values()}) == 3


def test_single_events_are_drawn_whatever_lies_between_them() -> None:
    stamps = [f"2026-10-19 {time}" for time in ("08:00:00.1", "08:00:02.5", "09:30:00.0")]
    index = pd.to_datetime(stamps).tz_localize("Asia/Tokyo")
    gaps = pd.Series([2.0, 3.0, 4.0], index=index, name="gap_s")
    assert legend_of(el.plot_distribution(gaps)) == ["3 values"]
    assert len(el.plot_distribution(gaps, by="hour").get_yticklabels()) == 2


def rates(index: pd.Index, **columns: object) -> pd.DataFrame:
    value = np.arange(10.0, 10.0 + len(index))
    made = {"rate_per_min": value, "low": value - 1, "high": value + 2, "exposure_min": 60.0}
    return pd.DataFrame(made | columns, index=index)


def test_an_hour_has_its_rate_its_interval_and_the_minutes_behind_it() -> None:
    table = el.blinks.rate(el.sample(), by="hour")
    ax = el.plot_rate(table)
    known = table[table["rate_per_min"].notna()]
    rate = [[hour + 0.5, value] for hour, value in known["rate_per_min"].items()]
    assert points(ax, "blink rate") == rate
    segments = [bar.tolist() for bar in one(ax, "95 % interval of these minutes").get_segments()]
    assert segments == [
        [[hour + 0.5, low], [hour + 0.5, high]]
        for hour, low, high in known[["low", "high"]].itertuples()
    ]
    assert heights(ax.child_axes[0], "minutes observed") == table["exposure_min"].tolist()
    assert ax.get_ylabel() == "Blink rate (per min)"


def test_a_row_whose_interval_is_not_of_the_wearer_is_hollow_with_its_reason() -> None:
    table = el.blinks.rate(el.sample(), by="weekend", of="wearer")
    ax = el.plot_rate(table)  # two days of a weekend are too few
    assert [place[1] for place in points(ax, "blink rate")] == [0.0]
    assert [place[1] for place in points(ax, "blink rate: fewer than 5 days")] == [1.0]
    assert note_of(ax) == "Beside the names: minutes observed"


def test_an_interval_of_extraordinary_length_is_cut_with_an_arrow_at_its_end() -> None:
    table = rates(pd.RangeIndex(24, name="hour"))
    table.loc[12, ["low", "high"]] = [1.0, 400.0]
    ax = el.plot_rate(table)
    bottom, top = ax.get_ylim()
    assert bottom > 1.0
    assert top < 50.0
    ends = {line.get_marker(): line.get_ydata()[0] for line in ax.lines}
    assert ends == {"v": bottom, "^": top}
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
def test_rates_that_cannot_be_drawn_are_refused_with_what_to_do(table, words: str) -> None:
    with pytest.raises(el.ConfigurationError, match=words):
        el.plot_rate(table)


def paired(n: int, *, seed: int = 1) -> tuple[pd.DataFrame, el.compare.AgreementLimits]:
    first, second = np.random.default_rng(seed).normal(10, 3, (2, n))
    pairs = pd.DataFrame({"mean": (first + second) / 2, "difference": first - second})
    return pairs, el.compare.limits_of_agreement(first, second)


def test_each_pair_is_a_point_and_bias_and_limits_lie_in_their_own_intervals() -> None:
    pairs, limits = paired(50)
    ax = el.plot_agreement(pairs, limits)
    assert np.allclose(one(ax, "50 pairs").get_offsets(), pairs[["mean", "difference"]])
    lines = [line.get_ydata()[0] for line in ax.lines]
    stated = limits._asdict()
    assert lines == [*(stated[name] for name in ("bias", "low", "high")), 0.0]
    bands = sorted((band.get_y(), band.get_y() + band.get_height()) for band in ax.patches)
    ends = [(stated[f"{name}_low"], stated[f"{name}_high"]) for name in ("low", "bias", "high")]
    assert np.array(bands) == pytest.approx(np.array(ends))


def test_many_pairs_are_counted_and_none_is_lost() -> None:
    ax = el.plot_agreement(*paired(5000))
    (mesh,) = ax.collections
    assert int(mesh.get_array().sum()) == 5000
    assert mesh.norm.vmin == 1
    assert "5,000 pairs" in legend_of(ax)


def test_too_few_pairs_have_no_limits_and_other_limits_and_no_pairs_are_refused() -> None:
    pairs, limits = paired(2)
    ax = el.plot_agreement(pairs, el.compare.limits_of_agreement([1, 2], [1, 1]))
    assert legend_of(ax) == ["2 pairs"]
    assert note_of(ax) == "Too few pairs for limits of agreement"
    with pytest.raises(el.ConfigurationError, match="limits_of_agreement"):
        el.plot_agreement(pairs, (1.0, 2.0))  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="no pairs"):
        el.plot_agreement(pairs * np.nan, limits)


def test_two_frames_need_a_quantity_that_both_have() -> None:
    fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    with pytest.raises(el.ConfigurationError, match="quantity='steps'"):
        el.plot_agreement(fifteen, sixty)
    with pytest.raises(el.ConfigurationError, match="no quantity 'step'"):
        el.plot_agreement(fifteen, sixty, quantity="step")


def bouts(starts: list[str], minutes: list[float], **columns: list[float]) -> pd.DataFrame:
    start = pd.DatetimeIndex(starts).tz_localize("Asia/Tokyo")
    end = start + pd.to_timedelta(minutes, unit="min")
    data = {"start": start, "end": end, "duration_min": minutes, **columns}
    return pd.DataFrame(data, index=pd.RangeIndex(len(start), name="bout"))


def test_a_bout_is_a_line_at_the_height_of_its_length_that_goes_on_after_midnight() -> None:
    ax = el.plot_bouts(bouts(["2026-10-19 08:00", "2026-10-20 23:40"], [30.0, 50.0]))
    segments = np.array(ax.collections[0].get_segments())
    ends = [[[8, 30], [8.5, 30]], [[23 + 2 / 3, 50], [24.5, 50]], [[0, 50], [0.5, 50]]]
    assert segments == pytest.approx(np.array(ends))
    middles = points(ax, "2 bouts, 1.3 h in total")
    assert np.array(middles) == pytest.approx(np.array([[8.25, 30], [5 / 60, 50]]))
    assert ax.get_yscale() == "log"
    assert title_of(ax) == "19 to 20 Oct 2026"


def test_many_bouts_are_counted_in_cells_and_none_is_lost() -> None:
    rng = np.random.default_rng(1)
    starts = pd.Timestamp("2026-10-19") + pd.to_timedelta(rng.uniform(0, 1e4, 1500), unit="min")
    minutes = rng.lognormal(1.5, 1.0, 1500) + 1
    ax = el.plot_bouts(bouts([str(start) for start in starts], minutes.tolist()))
    (cells,) = ax.collections
    assert isinstance(cells.norm, LogNorm)
    assert int(cells.get_array().sum()) == 1500
    assert any(name.startswith("1,500 bouts") for name in legend_of(ax))


def test_cells_of_many_bouts_show_the_median_of_a_column() -> None:
    starts = ["2026-10-19 08:01"] * 600 + ["2026-10-19 12:01"] * 600
    pace = [90.0, 100.0, 130.0] * 200 + [np.nan] * 600
    ax = el.plot_bouts(bouts(starts, [5.0] * 1200, pace_spm=pace), column="pace_spm")
    unknown, known = (cells.get_array().compressed().tolist() for cells in ax.collections)
    assert (unknown, known) == ([1.0], [100.0])
    assert "Pace not known" in legend_of(ax)
    table = bouts(starts, [5.0] * 1200, pace_spm=[np.nan] * 1200)
    assert legend_of(el.plot_bouts(table, column="pace_spm")) == ["Pace not known"]


def test_no_bout_is_said_and_text_gives_no_colours() -> None:
    table = bouts(["2026-10-19 08:00"], [5.0]).assign(kind="walk")
    with pytest.raises(el.ConfigurationError, match="no bouts"):
        el.plot_bouts(table.iloc[:0])
    with pytest.raises(el.ConfigurationError, match="'kind'"):
        el.plot_bouts(table, column="kind")


def test_bouts_without_a_duration_are_left_out_and_counted() -> None:
    table = el.gait.bouts(el.sample())
    table.loc[table.index[:2], "duration_min"] = np.nan
    for rows in (table, pd.concat([table] * (1 + 1000 // len(table)))):
        lost = int(rows["duration_min"].isna().sum())
        ax = el.plot_bouts(rows, column="pace_spm")
        assert note_of(ax) == f"{lost} bouts without a duration left out"
