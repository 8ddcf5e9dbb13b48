"""No text touches another or is cut: the figures of records x hostile data x widths."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from eyelog.provenance import record
from support.collisions import WIDTHS_MM, assert_readable, drawn_in

NAME = "山田太郎の新しい眼鏡をかけて仕事をした一週間の記録"


@cache
def simulated(days: int, tz: str = "Asia/Tokyo", first: str = "2026-10-19") -> pd.DataFrame:
    return el.simulate(first, days, log="standard_mode_logs", tz=tz, seed=1)


FRAMES: dict[str, Callable[[], pd.DataFrame]] = {
    "one record": lambda: simulated(1).iloc[600:601],
    "a Japanese name": lambda: record(simulated(7), "archive", account=NAME),
    "all unworn": lambda: simulated(2).assign(wea_s=0.0),
    "clocks that change": lambda: simulated(2, "Europe/Berlin", "2026-10-25"),
}
PLOTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "overview": el.plot_overview,
    "quality": el.plot_quality,
    "quality by hour": lambda frame: el.plot_quality(frame, by="time_of_day"),
    "attrition": lambda frame: el.plot_attrition(el.attrition(frame, recipe="eye")),
    "heatmap": lambda frame: el.plot_heatmap(el.resample(frame, "10min"), "steps"),
    "day": lambda frame: el.plot_day(el.resample(frame[:4000], "10min"), "hm_yo", second="tl_yav"),
    "timeline": lambda frame: el.plot_timeline(frame, fields=["hm_yo", "tl_yav"]),
    "timeline of the default fields": el.plot_timeline,
}


@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
@pytest.mark.parametrize(
    "width_mm",
    [WIDTHS_MM[0], *(pytest.param(width, marks=pytest.mark.slow) for width in WIDTHS_MM[1:])],
)
@pytest.mark.parametrize("data", FRAMES)
@pytest.mark.parametrize("kind", PLOTS)
def test_texts_keep_apart(kind: str, data: str, width_mm: float) -> None:
    assert_readable(drawn_in(lambda: PLOTS[kind](FRAMES[data]()), "own", width_mm), width_mm)
