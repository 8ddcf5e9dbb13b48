"""Days by time of day, and the flow of records: states, one field, the reasons, conditions."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm, Normalize, PowerNorm, to_hex, to_rgb

import eyelog as el
from support.drawn import artists, colour_of, counted_minutes, legend_of, states_of

WEEK = [("usable", "2025-01-06 09:01", "2025-01-06 10:00"),
        ("walking", "2025-01-08 00:01", "2025-01-08 00:30")]  # fmt: skip


def row(ax, place: int, rows: int) -> np.ndarray:
    """Return the colours of the minutes of one of some rows."""
    drawn = ax.images[0].get_array()
    return drawn[place * (len(drawn) // rows)]


def labels(ax) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def test_each_minute_of_an_overview_has_the_colour_of_its_state_on_its_day() -> None:
    ax = el.plot_overview(states_of(WEEK))
    assert labels(ax) == ["Mon 6 Jan", "Tue 7 Jan", "Wed 8 Jan"]
    monday, tuesday, wednesday = (row(ax, place, 3) for place in range(3))
    assert {to_hex(colour) for colour in monday[540:600, :3]} == {colour_of(ax, "usable")}
    assert (monday[540:600, 3] == 1).all()
    assert monday[:, 3].sum() == 60
    assert tuesday[:, 3].sum() == 0
    assert to_hex(wednesday[0, :3]) == colour_of(ax, "walking")
    many = pd.concat({f"w{n:02}": states_of(WEEK) for n in range(20)}, names=["account"])
    assert labels(el.plot_overview(many)) == [f"w{n:02}" for n in range(20)]


def test_a_sparse_frame_is_drawn_and_its_states_by_themselves_are_refused_with_the_reason() -> None:
    sparse = el.sample("standard_mode_logs").iloc[::10]
    image = el.plot_overview(sparse).images[0].get_array()
    recorded = sparse.index.normalize() == sparse.index[0].normalize()
    runs = int((np.diff((image[0, :, 3] > 0).astype(int), prepend=0) == 1).sum())
    assert runs == pytest.approx(int(recorded.sum()), abs=2)
    with pytest.raises(el.ConfigurationError, match="these last 600 s"):
        el.plot_overview(el.states(sparse))


def test_an_hour_that_clocks_skip_is_blank_and_one_that_they_repeat_is_the_mean() -> None:
    skipped = [("usable", "2026-03-29 00:31", "2026-03-29 00:59")]
    ax = el.plot_overview(states_of(skipped, tz="Europe/London"))
    blanks = [(bar.get_x(), bar.get_width()) for bars in ax.containers for bar in bars]
    assert (1.0, 1.0) in blanks
    index = pd.date_range("2026-10-25 00:01", periods=180, freq="min", tz="UTC")
    twice = states_of([("usable", "2026-10-25 00:01", "2026-10-25 03:00")], tz="UTC")
    twice.iloc[60:120] = "walking"
    twice.index = index.tz_convert("Europe/London").as_unit("us")
    ax = el.plot_overview(twice)
    one, two = (np.array(to_rgb(colour_of(ax, name))) for name in ("usable", "walking"))
    mean = ((one**2.2 + two**2.2) / 2) ** (1 / 2.2)
    assert row(ax, 0, 1)[70].tolist() == pytest.approx([*mean, 1])


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (states_of(WEEK).iloc[:0], "no rows"),
        (states_of(WEEK).iloc[::-1], "sort_index"),
        (states_of(WEEK).tz_localize(None), "aware"),
        (states_of(WEEK).astype("str"), "pass eyelog.states"),
    ],
)
def test_what_an_overview_cannot_draw_is_refused_before_a_figure_is_made(states, message) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.plot_overview(states)
    assert plt.get_fignums() == []


def test_patterns_lie_over_the_states_whose_greys_are_near() -> None:
    noisy = ("noisy", "2025-01-07 06:01", "2025-01-07 06:30")
    states = states_of([WEEK[0], noisy, ("off pose", "2025-01-07 12:01", "2025-01-07 13:00")])

    def patterns(ax) -> list[list[float]]:
        extents = [path.get_extents() for one in ax.collections for path in one.get_paths()]
        return sorted([*box.intervalx, *box.intervaly] for box in extents)

    assert patterns(el.plot_overview(states)) == []
    ax = el.plot_overview(states, patterns=True)
    expected = np.array([[6.0, 6.5, 0.5, 1.5], [12.0, 13.0, 0.5, 1.5]])
    assert np.array(patterns(ax)) == pytest.approx(expected)
    hatches = [handle.get_hatch() for handle in ax.figure.legends[0].legend_handles]
    assert len(set(hatches)) == 4  # none, dots, crosses, no record


def test_a_heatmap_shows_each_value_at_its_day_and_time() -> None:
    ax = el.plot_heatmap(counted_minutes(["2026-10-19", "2026-10-20"]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape == (2, 1440)
    assert cells[0, 0] == 0
    assert cells[0, -1] == 1439  # 24:00 closes the day that ended
    assert cells[1, 0] == 1440


def test_no_record_and_masked_and_unworn_cells_are_no_values() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=3)
    bins = el.resample(frame.drop(frame.index[600:660]), "10min")
    unvalued = el.plot_heatmap(bins, "hm_yo").images[1].get_array()
    masked = bins["hm_yo"].isna() & (bins["n"] > 0)
    assert (bins["n"] == 0).any()
    assert int((~unvalued.mask).sum()) == int(masked.sum())
    table = el.sample("standard_mode_logs")
    ax = el.plot_heatmap(table, "stp_s")  # walking time, which no reason applies to
    unworn = el.states(table) == "not worn"
    values, unvalued = (image.get_array() for image in ax.images)
    assert int((~unvalued.mask).sum()) >= int(unworn.sum()) > 100
    assert int((~values.mask).sum()) == int(table.loc[~unworn, "stp_s"].notna().sum())


def test_other_values_and_states_have_a_linear_scale_unless_asked_otherwise() -> None:
    frame = counted_minutes(["2026-10-19"])

    def norm_of(frame: pd.DataFrame, **settings: str) -> Normalize:
        return el.plot_heatmap(frame, "stp_mid", **settings).images[0].norm

    linear = norm_of(frame)
    assert type(linear) is Normalize
    assert (linear.vmin, linear.vmax) == (pytest.approx(0, abs=0.01), 1439)
    states = frame.assign(stp_mid=(frame["stp_mid"] > 1400).astype(float))
    assert type(norm_of(states)) is Normalize
    assert isinstance(norm_of(frame, scale="power"), PowerNorm)
    assert not isinstance(linear, LogNorm)
    negative = norm_of(frame - 700.0)
    assert (negative.vmin, negative.vmax) == (-700, 739)
    with pytest.raises(el.ConfigurationError, match="'log'"):
        norm_of(frame, scale="log")


def test_no_steps_are_white_and_one_step_is_not() -> None:
    for width in ("10min", "1h"):  # mostly 0, and hardly
        frame = el.resample(el.sample("standard_mode_logs"), width)
        ax = el.plot_heatmap(frame, "steps")
        none, few, masked = ax.images[0].to_rgba(np.ma.masked_equal([0.0, 1.0, -1.0], -1.0))
        assert tuple(none) == (1.0, 1.0, 1.0, 1.0)
        assert few.min() < 0.9
        assert masked[3] == 0.0
        assert "0" in ax.get_legend_handles_labels()[1]
    tilt = el.plot_heatmap(frame, "tl_yav")
    assert "0" not in tilt.get_legend_handles_labels()[1]


def test_steps_are_those_of_all_classes() -> None:
    frame = el.resample(el.sample("standard_mode_logs"), "10min")
    ax = el.plot_heatmap(frame, "steps")
    shown = float(ax.images[0].get_array().sum())
    assert shown == frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum(axis=1).sum()
    assert ax.get_title(loc="left") == "Steps per 10 min"
    with pytest.raises(el.FieldError, match="stp_vsl"):
        el.plot_heatmap(frame.drop(columns="stp_vsl"), "steps")


def test_a_field_without_a_value_says_so_and_text_is_not_drawn() -> None:
    ax = el.plot_heatmap(counted_minutes(["2026-10-19"]) * np.nan, "stp_mid")
    assert [text.get_text() for text in ax.texts] == ["no usable values"]
    assert len(ax.figure.axes) == 1
    with pytest.raises(el.ConfigurationError, match="holds text"):
        el.plot_heatmap(counted_minutes(["2026-10-19"]).assign(mood="a"), "mood")


def repeated(**columns: object) -> pd.DataFrame:
    """Return hours of the day on which 02:00 to 03:00 comes twice."""
    stamps = pd.date_range("2026-10-25", periods=25, freq="h", tz="Europe/Berlin", name="date")
    return pd.DataFrame(columns, index=stamps + pd.Timedelta("1h"))


def test_a_repeated_hour_shows_the_mean_of_both_passes_of_angles_on_the_circle() -> None:
    cells = el.plot_heatmap(repeated(v=np.arange(25.0)), "v").images[0].get_array()
    assert cells[0].tolist() == [0, 1, 2.5, *range(4, 25)]
    for lacking in (2, 3):  # records in one pass are a record
        frame = repeated(v=1.0, n=1, bin_s=3600.0)
        frame.iloc[lacking, :2] = [np.nan, 0]
        cells, unvalued = (image.get_array() for image in el.plot_heatmap(frame, "v").images)
        assert cells[0].tolist() == [1.0] * 24
        assert not unvalued.filled(0).any()
    frame = repeated(tl_yav=0.0, wea_s=60.0, n=60, coverage=1.0)
    frame.index -= pd.Timedelta("1h")
    frame.iloc[[2, 3], 0] = [170.0, -170.0]
    cells = el.plot_heatmap(frame, "tl_yav").images[0].get_array()
    assert abs(float(cells[0, 2])) == pytest.approx(180)


def reasons_of(days: list[str], *changes: tuple[slice, int, el.Reason]) -> pd.DataFrame:
    frame = counted_minutes(days).assign(stp_fst=0.0, bl=0.0)
    reasons = pd.DataFrame(0, index=frame.index, columns=frame.columns, dtype="uint16")
    for rows, column, reason in changes:
        reasons.iloc[rows, column] |= int(reason)
    return reasons


def shares(ax) -> np.ndarray:
    return np.ma.filled(ax.images[0].get_array().astype(float), np.nan)


def test_the_share_is_of_time_and_of_the_fields_that_ever_have_the_reason() -> None:
    unworn = el.Reason.UNWORN
    reasons = reasons_of(
        ["2026-10-19"], (slice(720, 1440), 0, unworn), (slice(1080, 1440), 1, unworn)
    )
    (shown,) = shares(el.plot_quality(reasons))
    n = len(shown)
    assert np.nanmean(shown) == pytest.approx(0.5 * 0.75)
    assert shown[: n // 2 - 1].max() == 0
    assert shown[n // 2 + 1 : 3 * n // 4 - 1].tolist() == pytest.approx([0.5] * (n // 4 - 2))
    assert shown[-1] == 1
    days = [f"2026-10-{day}" for day in range(12, 26)]  # a long range is averaged
    long = reasons_of(days, (slice(0, None, 2), 0, unworn))
    (shown,) = shares(el.plot_quality(long.drop(long.index[1440:2880])))
    assert len(shown) <= 800
    assert np.isnan(shown).mean() == pytest.approx(1 / 14, abs=0.01)
    assert np.nanmean(shown) == pytest.approx(0.5, abs=0.01)


def test_by_time_of_day_a_strip_shows_on_how_many_days_there_is_a_record() -> None:
    reasons = reasons_of(["2026-10-19", "2026-10-20"])
    ax = el.plot_quality(reasons.drop(reasons.index[60:120]), by="time_of_day")
    (days,) = [axes for axes in ax.child_axes if axes.get_ylabel() == "Days"]
    assert days.patches[0].get_data().values.tolist() == [2] * 6 + [1] * 6 + [2] * 132
    assert days.get_xlabel().startswith("Time of day")


def test_a_frame_is_drawn_by_its_reasons_and_limits() -> None:
    frame, limits = el.sample("standard_mode_logs").iloc[:2000], el.Limits(max_noise="1s")
    for mine in (None, limits):
        drawn = shares(el.plot_quality(frame, limits=mine))
        expected = shares(el.plot_quality(el.flag(frame, limits=mine)))
        np.testing.assert_array_equal(drawn, expected)
    with pytest.raises(el.ConfigurationError, match="not values made of reasons"):
        el.plot_quality(el.flag(frame).astype(float))
    with pytest.raises(el.ConfigurationError, match=r"before eyelog\.mask"):
        el.plot_quality(el.mask(frame, el.flag(frame)))


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (lambda r: r.iloc[:0], {}, "no rows"),
        (lambda r: r, {"limits": el.Limits()}, "these are reasons"),
        (lambda r: r.assign(utc_offset_min=np.uint16(0)), {}, "pass the frame itself"),
        (lambda r: r.iloc[::-1], {}, "sort_index"),
        (lambda r: r, {"by": "hour"}, "'time' or 'time_of_day'"),
    ],
)
def test_reasons_that_cannot_be_drawn_are_refused(change, arguments, message) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.plot_quality(change(reasons_of(["2026-10-19"])), **arguments)


def test_each_condition_has_a_bar_of_what_it_leaves_and_one_of_what_it_removes() -> None:
    frame = el.sample()
    frame.loc[frame.index[:500], "isl"] = None
    table = el.attrition(frame, recipe="mind")
    ax = el.plot_attrition(table)

    def widths(name: str) -> list[float]:
        return [bar.get_width() for bar in artists(ax, name)]

    conditions = table[table["outcome"] == ""]
    assert widths("left after the condition") == conditions["left"].tolist()
    assert {*widths("used")} <= {*table.loc[table["outcome"] != "", "left"]}
    gone = conditions["removed"] - conditions["unknown"]
    assert widths("removed") == gone[gone > 0].tolist()
    assert widths("removed, not checked") == [500]
    assert "removed, not checked" in legend_of(ax)
