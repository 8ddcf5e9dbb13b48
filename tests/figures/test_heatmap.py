"""Day by time of day: the cells, what is not a value, and the colours of counts."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import LogNorm, Normalize, PowerNorm

import eyelog as el
from support.figures import counted_minutes


def test_a_heatmap_shows_each_value_at_its_day_and_time() -> None:
    ax = el.plot_heatmap(counted_minutes(["2026-10-19", "2026-10-20"]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape == (2, 1440)
    assert cells[0, 0] == 0
    assert cells[0, -1] == 1439  # 24:00 closes the day that ended
    assert cells[1, 0] == 1440


def test_a_bin_without_records_is_no_record_and_one_with_masked_records_is_masked() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=3)
    bins = el.resample(frame.drop(frame.index[600:660]), "10min")
    unvalued = el.plot_heatmap(bins, "hm_yo").images[1].get_array()
    masked = bins["hm_yo"].isna() & (bins["n"] > 0)
    assert (bins["n"] == 0).any()
    assert int((~unvalued.mask).sum()) == int(masked.sum())


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


def test_a_field_without_a_value_says_so_and_has_no_scale() -> None:
    frame = counted_minutes(["2026-10-19"]) * np.nan
    ax = el.plot_heatmap(frame, "stp_mid")
    assert [text.get_text() for text in ax.texts] == ["no usable values"]
    assert len(ax.figure.axes) == 1


def test_steps_are_those_of_all_classes() -> None:
    frame = el.resample(el.sample("standard_mode_logs"), "10min")
    ax = el.plot_heatmap(frame, "steps")
    shown = float(ax.images[0].get_array().sum())
    assert shown == frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum(axis=1).sum()
    assert ax.get_title(loc="left") == "Steps per 10 min"
    with pytest.raises(el.FieldError, match="stp_vsl"):
        el.plot_heatmap(frame.drop(columns="stp_vsl"), "steps")


def test_time_in_which_nothing_was_worn_is_never_a_measured_zero() -> None:
    table = el.sample("standard_mode_logs")
    ax = el.plot_heatmap(table, "stp_s")  # walking time, which no reason applies to
    unworn = el.states(table) == "not worn"
    values, unvalued = (image.get_array() for image in ax.images)
    assert int((~unvalued.mask).sum()) >= int(unworn.sum()) > 100
    worn = table[~unworn]
    assert int((~values.mask).sum()) == int(worn["stp_s"].notna().sum())


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
    frame = pd.DataFrame({"tl_yav": 0.0, "wea_s": 60.0, "n": 60, "coverage": 1.0}, index=stamps)
    frame.iloc[[2, 3], 0] = [170.0, -170.0]
    cells = el.plot_heatmap(frame, "tl_yav").images[0].get_array()
    assert abs(float(cells[0, 2])) == pytest.approx(180)


def test_text_is_not_drawn() -> None:
    frame = counted_minutes(["2026-10-19"]).assign(mood="a")
    with pytest.raises(el.ConfigurationError, match="holds text"):
        el.plot_heatmap(frame, "mood")
