"""No text touches another or is cut: the figures of records x hostile data x widths."""

from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from eyelog.frame import record
from support.collisions import (
    WIDTHS_MM,
    assert_readable,
    collisions_when_saved,
    drawn_in,
    in_turn,
)

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
PLOTS: dict[str, Callable[..., Any]] = {
    "overview": el.plot_overview,
    "quality": el.plot_quality,
    "quality by hour": lambda frame, **ax: el.plot_quality(frame, by="time_of_day", **ax),
    "attrition": lambda frame, **ax: el.plot_attrition(el.attrition(frame, recipe="eye"), **ax),
    "heatmap": lambda frame, **ax: el.plot_heatmap(el.resample(frame, "10min"), "steps", **ax),
}
OF_PANELS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "day": lambda frame: el.plot_day(el.resample(frame[:4000], "10min"), "hm_yo", second="tl_yav"),
    "timeline": lambda frame: el.plot_timeline(frame, fields=["hm_yo", "tl_yav"]),
    "timeline of the default fields": el.plot_timeline,
}
QUIET = pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")


@QUIET
@pytest.mark.slow("every figure is drawn")
@pytest.mark.parametrize(
    ("kind", "data", "width_mm"), in_turn(product([*PLOTS, *OF_PANELS], FRAMES), WIDTHS_MM)
)
def test_texts_keep_apart(kind: str, data: str, width_mm: float) -> None:
    draw = PLOTS.get(kind) or OF_PANELS[kind]
    assert_readable(drawn_in(lambda: draw(FRAMES[data]())), width_mm)


@QUIET
@pytest.mark.slow("every figure is drawn")
@pytest.mark.parametrize(
    ("kind", "data", "width"), in_turn([*PLOTS, *OF_PANELS], product(FRAMES, ["single", "double"]))
)
def test_the_line_that_names_the_subject_keeps_apart(
    kind: str, data: str, width: str, tmp_path: Path
) -> None:
    drawn = (PLOTS.get(kind) or OF_PANELS[kind])(FRAMES[data]())
    assert not collisions_when_saved(drawn, tmp_path / "a.png", width=width, subject="P017")
