"""Day by time of day: the cells, what is not a value, and the colours of counts."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm, Normalize, PowerNorm, to_rgba

import eyelog as el
from eyelog.figures.style import COLOURS, sequential
from support.drawn import legend_of, title_of
from support.figures import counted_minutes


def lightness(colour) -> float:
    """Return the grey of a colour in print, 0 to 1."""
    return float(np.dot(to_rgba(colour)[:3], (0.299, 0.587, 0.114)))


def test_a_heatmap_shows_each_value_at_its_day_and_time() -> None:
    ax = el.plot_heatmap(counted_minutes(["2026-10-19", "2026-10-20"]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape == (2, 1440)
    assert cells[0, 0] == 0
    assert cells[0, -1] == 1439  # 24:00 closes the day that ended
    assert cells[1, 0] == 1440


def test_time_without_records_and_values_that_are_missing_are_two_things() -> None:
    frame = counted_minutes(["2026-10-19"])
    frame.iloc[10:20, 0] = np.nan
    ax = el.plot_heatmap(frame.drop(frame.index[100:200]), "stp_mid")
    values, unvalued = (image.get_array() for image in ax.images)
    assert values.mask[0, 10:20].all()
    assert values.mask[0, 100:200].all()
    assert np.flatnonzero(~unvalued.mask[0]).tolist() == list(range(10, 20))
    assert to_rgba(ax.images[1].cmap(0.0)) == to_rgba(COLOURS["masked"])
    assert to_rgba(ax.get_facecolor()) == to_rgba("white")
    assert ax.patch.get_hatch()
    assert legend_of(ax) == ["no usable value", "no record"]


def test_a_bin_without_records_is_no_record_and_one_with_masked_records_is_masked() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=3)
    bins = el.resample(frame.drop(frame.index[600:660]), "10min")
    unvalued = el.plot_heatmap(bins, "hm_yo").images[1].get_array()
    masked = bins["hm_yo"].isna() & (bins["n"] > 0)
    assert (bins["n"] == 0).any()
    assert int((~unvalued.mask).sum()) == int(masked.sum())


def test_days_without_records_keep_their_row() -> None:
    ax = el.plot_heatmap(counted_minutes(["2026-10-19", "2026-10-25"]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape[0] == 7
    assert cells.mask.all(axis=1).tolist() == [False, *[True] * 5, False]


@pytest.mark.parametrize("field", ["stp_mid", "hm_yo"])
def test_a_measured_zero_is_a_light_colour_darker_than_a_masked_value(field: str) -> None:
    frame = counted_minutes(["2026-10-19"]).rename(columns={"stp_mid": field})
    image = el.plot_heatmap(frame, field).images[0]
    zero, top = (image.cmap(image.norm(value)) for value in (0.0, 1439.0))
    assert 0.7 < lightness(zero) < lightness(COLOURS["masked"]) - 0.03
    assert lightness(top) < 0.35
    steps = [lightness(image.cmap(share)) for share in np.linspace(0, 1, 50)]
    assert (np.diff(steps) < 0).all()


def test_counts_that_are_mostly_zero_have_a_power_scale_with_ticks_at_their_values() -> None:
    frame = counted_minutes(["2026-10-19"])
    frame["stp_mid"] = np.where(frame["stp_mid"] % 4 == 0, frame["stp_mid"], 0.0)
    ax = el.plot_heatmap(frame, "stp_mid")
    image = ax.images[0]
    assert isinstance(image.norm, PowerNorm)
    bar = image.colorbar
    ticks = bar.get_ticks()
    assert ticks[0] == 0
    places = np.asarray(image.norm(ticks))
    assert (np.diff(places) > 0.1).all()
    ax.figure.canvas.draw()
    labels = [label.get_text() for label in bar.ax.get_yticklabels()]
    assert [float(label.replace(",", "")) for label in labels] == ticks.tolist()


def test_other_values_and_states_have_a_linear_scale_unless_asked_otherwise() -> None:
    frame = counted_minutes(["2026-10-19"])
    linear = el.plot_heatmap(frame, "stp_mid").images[0].norm
    assert type(linear) is Normalize
    assert (linear.vmin, linear.vmax) == (0, 1439)
    states = frame.assign(stp_mid=(frame["stp_mid"] > 1400).astype(float))
    assert type(el.plot_heatmap(states, "stp_mid").images[0].norm) is Normalize
    assert isinstance(el.plot_heatmap(frame, "stp_mid", scale="power").images[0].norm, PowerNorm)
    with pytest.raises(el.ConfigurationError, match="'log'"):
        el.plot_heatmap(frame, "stp_mid", scale="log")
    assert not isinstance(linear, LogNorm)


def test_negative_values_keep_the_whole_scale() -> None:
    frame = counted_minutes(["2026-10-19"]) - 700.0
    norm = el.plot_heatmap(frame, "stp_mid").images[0].norm
    assert (norm.vmin, norm.vmax) == (-700, 739)


def test_rows_shorter_than_a_minute_are_averaged_over_it() -> None:
    stamps = pd.date_range("2026-10-19 00:00:15", periods=5760, freq="15s", tz="UTC", name="date")
    frame = pd.DataFrame({"stp": np.arange(5760.0)}, index=stamps)
    frame.iloc[0:2] = np.nan
    frame.iloc[4:8] = np.nan
    ax = el.plot_heatmap(frame, "stp")
    cells = ax.images[0].get_array()
    assert cells.shape == (1, 1440)
    assert cells[0, 0] == 2.5
    assert cells.mask[0, 1]
    assert not ax.images[1].get_array().mask[0, 1]


def test_a_field_without_a_value_says_so_and_has_no_scale() -> None:
    frame = counted_minutes(["2026-10-19"]) * np.nan
    ax = el.plot_heatmap(frame, "stp_mid")
    assert [text.get_text() for text in ax.texts] == ["no usable values"]
    assert len(ax.figure.axes) == 1


def test_title_and_labels_are_words() -> None:
    frame = el.resample(el.simulate("2026-10-19", 2, tz="Asia/Tokyo"), "10min")
    ax = el.plot_heatmap(frame, "stp")
    assert title_of(ax) == "15-second log · 19 to 20 Oct 2026"
    assert ax.get_xlabel() == "Time of day (Asia/Tokyo)"
    assert ax.get_title(loc="left") == "Steps per 10 min"


def test_steps_are_those_of_all_classes() -> None:
    frame = el.resample(el.sample("standard_mode_logs"), "10min")
    ax = el.plot_heatmap(frame, "steps")
    shown = float(ax.images[0].get_array().sum())
    assert shown == frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum(axis=1).sum()
    assert ax.get_title(loc="left") == "Steps per 10 min"
    with pytest.raises(el.FieldError, match="stp_vsl"):
        el.plot_heatmap(frame.drop(columns="stp_vsl"), "steps")


@pytest.mark.parametrize("bins", [None, "10min"])
def test_time_in_which_nothing_was_worn_is_never_a_measured_zero(bins: str | None) -> None:
    frame = el.sample("standard_mode_logs")
    table = frame if bins is None else el.resample(frame, bins)
    ax = el.plot_heatmap(table, "stp_s")  # walking time, which no reason applies to
    unworn = el.states(frame) == "not worn" if bins is None else table["exposure_min"] == 0
    recorded = 1 if bins is None else table["n"] > 0
    values, unvalued = (image.get_array() for image in ax.images)
    assert int((~unvalued.mask).sum()) >= int((unworn & (recorded > 0)).sum()) > 100
    worn = table[~unworn]
    assert int((~values.mask).sum()) == int(worn["stp_s"].notna().sum())


def test_on_an_axes_of_the_user_the_title_begins_with_the_field() -> None:
    _, ax = plt.subplots()
    el.plot_heatmap(counted_minutes(["2026-10-19"]), "stp_mid", ax=ax)
    assert ax.get_title(loc="left").startswith("Steps, medium per min")


def test_the_height_follows_the_number_of_days() -> None:
    def height(days: list[str]) -> float:
        return el.plot_heatmap(counted_minutes(days), "stp_mid").figure.get_figheight()

    assert height(["2026-10-19"]) < height(["2026-10-01", "2026-10-19"]) < 170 / 25.4


def test_a_repeated_hour_shows_the_mean_of_both_passes() -> None:
    stamps = pd.date_range("2026-10-25", periods=25, freq="h", tz="Europe/Berlin", name="date")
    frame = pd.DataFrame({"v": np.arange(25.0)}, index=stamps + pd.Timedelta("1h"))
    cells = el.plot_heatmap(frame, "v").images[0].get_array()
    assert cells[0].tolist() == [0, 1, 2.5, *range(4, 25)]


@pytest.mark.parametrize("lacking", [2, 3])
def test_an_hour_with_records_in_one_pass_has_a_record(lacking: int) -> None:
    stamps = pd.date_range("2026-10-25", periods=25, freq="h", tz="Europe/Berlin", name="date")
    frame = pd.DataFrame({"v": 1.0, "n": 1, "bin_s": 3600.0}, index=stamps + pd.Timedelta("1h"))
    frame.iloc[lacking, :2] = [np.nan, 0]
    cells, unvalued = (image.get_array() for image in el.plot_heatmap(frame, "v").images)
    assert cells[0].tolist() == [1.0] * 24
    assert not unvalued.filled(0).any()


def test_both_passes_of_an_angle_are_averaged_on_the_circle() -> None:
    stamps = pd.date_range("2026-10-25", periods=25, freq="h", tz="Europe/Berlin", name="date")
    frame = pd.DataFrame({"tl_yav": 0.0, "wea_s": 60.0}, index=stamps + pd.Timedelta("1h"))
    frame["bin_s"] = 3600.0
    frame.iloc[[2, 3], 0] = [170.0, -170.0]
    cells = el.plot_heatmap(frame, "tl_yav").images[0].get_array()
    assert abs(float(cells[0, 2])) == pytest.approx(180)


def test_text_is_not_drawn() -> None:
    frame = counted_minutes(["2026-10-19"]).assign(mood="a")
    with pytest.raises(el.ConfigurationError, match="holds text"):
        el.plot_heatmap(frame, "mood")


def test_an_axes_of_the_user_is_drawn_on() -> None:
    figure, ax = plt.subplots()
    assert el.plot_heatmap(counted_minutes(["2026-10-19"]), "stp_mid", ax=ax) is ax
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("field", "meaning"),
    [("hm_yo", "head"), ("tl_yav", "head"), ("stp_s", "walking"), ("lc_bk_n", "usable")],
)
def test_a_field_has_the_scale_of_its_meaning(field: str, meaning: str) -> None:
    frame = el.resample(el.sample("standard_mode_logs"), "1h")
    assert el.plot_heatmap(frame, field).images[0].get_cmap()(1.0) == sequential(meaning)(1.0)
