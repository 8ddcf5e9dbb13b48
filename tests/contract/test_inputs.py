"""No function changes its input, and no data gives an empty table."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el

CALLS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "flag": el.flag,
    "mask": lambda f: el.mask(f, el.flag(f)),
    "explain": lambda f: el.explain(el.flag(f)),
    "coverage": el.coverage,
    "gaps": el.gaps,
    "look": el.look,
    "between": lambda f: el.between(f, "09:00", "17:00"),
    "resample": lambda f: el.resample(f, "10min"),
    "daily": el.daily,
    "weekly": el.weekly,
    "readable": lambda f: el.readable(el.daily(f)),
    "attrition": lambda f: el.attrition(f, recipe="mind" if "vld" in f else "trend"),
    "states": el.states,
    "rate": el.blinks.rate,
    "pace": el.gait.pace,
    "head_movements": el.posture.head_movements,
    "plot_day": lambda f: el.plot_day(f, "tl_yav", states=el.states(f)),
    "plot_actogram": lambda f: el.plot_actogram(el.states(f)),
    "plot_overview": lambda f: el.plot_overview(el.states(f)),
    "plot_timeline": lambda f: el.plot_timeline(f, fields=["tl_yav"]),
    "plot_heatmap": lambda f: el.plot_heatmap(f, "tl_yav"),
    "plot_quality": lambda f: el.plot_quality(el.flag(f)),
    "plot_daily": lambda f: el.plot_daily(el.daily(f), "steps"),
    "plot_profile": lambda f: el.plot_profile(el.rhythm.profile(f["tl_yav"])),
    "plot_rate": lambda f: el.plot_rate(el.blinks.rate(f, by="hour")),
    "plot_rhythm": lambda f: el.plot_rhythm(el.rhythm.profile(f["tl_yav"])),
    "plot_distribution": lambda f: el.plot_distribution(f["tl_yav"], by="hour"),
    "plot_bouts": lambda f: el.plot_bouts(el.gait.bouts(f), column="pace_spm"),
    "plot_week": lambda f: el.plot_week(el.daily(f)),
    "plot_month": lambda f: el.plot_month(el.daily(f)),
    "plot_change": lambda f: el.plot_change(
        pd.concat([el.daily(f), el.daily(f).shift(1, freq="D")]).assign(worn_h=9.0),
        "steps",
        at="2026-10-20",
    ),
    "plot_baseline": lambda f: el.plot_baseline(el.baseline.personal(el.daily(f)["steps"])),
    "plot_events": lambda f: el.plot_events(
        el.compare.events(
            f, el.gait.bouts(f)["start"], before="5min", after="5min", fields="tl_yav"
        )
    ),
    "event_courses": lambda f: el.compare.event_courses(
        f, el.gait.bouts(f)["start"], before="5min", after="5min", fields="tl_yav"
    ),
    "compose_figure": lambda f: el.compose_figure(f, "timeline"),
}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
@pytest.mark.parametrize("name", CALLS)
def test_a_function_leaves_its_input_unchanged(name: str, log: str) -> None:
    frame = el.simulate("2026-10-19", 1, log=log, seed=3)
    before, attrs = frame.copy(deep=True), dict(frame.attrs)
    CALLS[name](frame)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == attrs


@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
@pytest.mark.parametrize(
    "name", ["flag", "mask", "coverage", "gaps", "resample", "daily", "weekly", "rate", "pace"]
)
def test_no_data_gives_an_empty_table_of_the_same_shape(name: str, log: str) -> None:
    frame = el.simulate("2026-10-19", 1, log=log, seed=3)
    full, empty = CALLS[name](frame), CALLS[name](frame.iloc[:0])
    assert list(empty.columns) == list(full.columns)
    assert empty.dtypes.to_dict() == full.dtypes.to_dict()
