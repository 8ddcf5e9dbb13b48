"""Figures in the styles that people set: dark, and larger or smaller type.

A figure of eyelog's own looks the same in each. On a user's Axes the words are the user's, and can
be read; what the values look like is eyelog's.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Text

import eyelog as el
from eyelog.figures.ground import LEAST_CONTRAST, contrast
from support.collisions import assert_readable, drawn_texts

SIXTY = "standard_mode_logs"
# The contexts of seaborn 0.13 (rcmod.plotting_context): sizes in points, times the scale.
TYPE = {
    "font.size": 12.0,
    "axes.labelsize": 12.0,
    "axes.titlesize": 12.0,
    "xtick.labelsize": 11.0,
    "ytick.labelsize": 11.0,
    "legend.fontsize": 11.0,
    "legend.title_fontsize": 12.0,
    "axes.linewidth": 1.25,
    "grid.linewidth": 1.0,
    "lines.linewidth": 1.5,
    "lines.markersize": 6.0,
    "patch.linewidth": 1.0,
    "xtick.major.width": 1.25,
    "ytick.major.width": 1.25,
    "xtick.minor.width": 1.0,
    "ytick.minor.width": 1.0,
    "xtick.major.size": 6.0,
    "ytick.major.size": 6.0,
    "xtick.minor.size": 4.0,
    "ytick.minor.size": 4.0,
}
SCALES = {"paper": 0.8, "notebook": 1.0, "talk": 1.5, "poster": 2.0}
STYLES: Mapping[str, Any] = {
    "dark": "dark_background",
    **{name: {key: scale * one for key, one in TYPE.items()} for name, scale in SCALES.items()},
}


@cache
def frame() -> pd.DataFrame:
    return el.simulate("2026-10-19", 7, log=SIXTY, seed=1, tz="Asia/Tokyo")


@cache
def daily(days: int = 35) -> pd.DataFrame:
    index = pd.date_range("2026-09-21", periods=days, name="day")
    draw = np.random.default_rng(1)
    table = pd.DataFrame({"steps": draw.gamma(9, 800, days), "worn_h": 10.0}, index=index)
    return table.assign(blink_rate_per_min=draw.normal(15, 1, days), tilt_fore_aft_deg=-12.0)


@cache
def wearers() -> pd.DataFrame:
    tables = {f"w{i:02}": daily(14 + i)[i:] for i in range(12)}
    table = pd.concat(tables, names=["account"])
    number = table.index.get_level_values("account").str[1:].astype(int)
    return table.assign(group=np.array(["control", "treated"])[number % 2])


@cache
def hourly() -> pd.Series:
    return el.resample(frame(), "1h")["hm_yo"]


@cache
def pairs() -> tuple[pd.DataFrame, Any]:
    first, second = np.random.default_rng(1).normal(100, 30, (2, 40))
    table = pd.DataFrame({"mean": (first + second) / 2, "difference": first - second})
    return table, el.compare.limits_of_agreement(first, second)


def rhythm(**ax: Any) -> Any:
    return el.plot_rhythm(
        el.rhythm.profile(hourly()),
        most_active=el.rhythm.most_active(hourly()),
        cosinor=el.rhythm.cosinor(hourly()),
        **ax,
    )


def around(**ax: Any) -> Any:
    times = frame().index[600:6000:97]
    table = el.compare.events(frame(), times, before="30min", after="30min", fields="hm_yo")
    return el.plot_events(table, **ax)


ON_AXES: Mapping[str, Callable[..., Any]] = {
    "plot_overview": lambda **ax: el.plot_overview(frame(), **ax),
    "plot_quality": lambda **ax: el.plot_quality(frame(), **ax),
    "plot_attrition": lambda **ax: el.plot_attrition(el.attrition(frame(), recipe="steps"), **ax),
    "plot_heatmap": lambda **ax: el.plot_heatmap(el.resample(frame(), "10min"), "steps", **ax),
    "plot_daily": lambda **ax: el.plot_daily(daily(), "steps", **ax),
    "plot_profile": lambda **ax: el.plot_profile(el.rhythm.profile(hourly()), **ax),
    "plot_rhythm": rhythm,
    "plot_rate": lambda **ax: el.plot_rate(el.blinks.rate(frame(), by="hour"), **ax),
    "plot_distribution": lambda **ax: el.plot_distribution(
        hourly(), typical=el.baseline.typical_value(hourly()), **ax
    ),
    "plot_bouts": lambda **ax: el.plot_bouts(el.gait.bouts(frame()), **ax),
    "plot_events": around,
    "plot_agreement": lambda **ax: el.plot_agreement(*pairs(), **ax),
    "plot_baseline": lambda **ax: el.plot_baseline(el.baseline.personal(daily(), "steps"), **ax),
    "plot_cohort": lambda **ax: el.plot_cohort(wearers(), "steps", kind="groups", by="group", **ax),
}
OF_PANELS: Mapping[str, Callable[[], Any]] = {
    "plot_day": lambda: el.plot_day(el.resample(frame()[:3000], "10min"), "hm_yo"),
    "plot_timeline": lambda: el.plot_timeline(frame(), fields=["hm_yo", "tl_yav"]),
    "plot_week": lambda: el.plot_week(el.daily(frame()), states=frame()),
    "plot_month": lambda: el.plot_month(daily()),
    "plot_change": lambda: el.plot_change(daily(), "steps", at="2026-10-05"),
    "plot_actogram": lambda: el.plot_actogram(el.states(frame())),
}
# One figure of each way to show values: lines, colours, bars, bands, points, parts of a figure.
TYPICAL = {
    "plot_overview", "plot_attrition", "plot_daily", "plot_profile", "plot_agreement",
    "plot_cohort", "plot_timeline", "plot_change",
}  # fmt: skip
QUIET = pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
CHOSEN = pytest.mark.parametrize(
    "style",
    ["dark", *(pytest.param(name, marks=pytest.mark.slow) for name in SCALES)],
)


def figures(*kinds: str) -> list[Any]:
    """Return the kinds of figure for a test; those that are not typical are slow."""
    return [
        kind if kind in TYPICAL else pytest.param(kind, marks=pytest.mark.slow) for kind in kinds
    ]


def test_every_plot_function_is_tried() -> None:
    public = {name for name in el.__all__ if name.startswith("plot_")}
    assert public == {*ON_AXES, *OF_PANELS}


def pixels(figure: Figure) -> Any:
    canvas: Any = figure.canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(np.int64)


@QUIET
@CHOSEN
@pytest.mark.parametrize("kind", figures(*ON_AXES, *OF_PANELS))
def test_a_figure_of_eyelogs_own_looks_the_same_in_every_style(kind: str, style: str) -> None:
    draw = ON_AXES.get(kind) or OF_PANELS[kind]
    plain = draw()
    with mpl.style.context(STYLES[style]):
        styled = draw()
        found = pixels(np.ravel(styled)[0].get_figure(root=True))
    assert np.array_equal(found, pixels(np.ravel(plain)[0].get_figure(root=True)))


def on_axes(kind: str, style: str) -> Figure:
    """Draw on the Axes of a user, whose figure is as large as the type asks for."""
    scale = max(1.0, SCALES.get(style, 1.0))
    figure, ax = plt.subplots(figsize=(8 * scale, 5 * scale), layout="constrained")
    ON_AXES[kind](ax=ax)
    return figure


@QUIET
@CHOSEN
@pytest.mark.parametrize("kind", figures(*ON_AXES))
def test_words_on_a_users_axes_keep_apart_and_contrast_with_their_ground(
    kind: str, style: str
) -> None:
    with mpl.style.context(STYLES[style]):
        figure = on_axes(kind, style)
        assert_readable(figure, 0.0)
        weak = [f"{words!r}: {found:.1f}" for words, found in contrasts(figure)]
    assert not weak, "; ".join(weak)


def contrasts(figure: Figure) -> list[tuple[str, float]]:
    """Return the texts that stand out too little from what is really drawn under them."""
    with drawn_texts() as drawn:
        figure.draw_without_rendering()
    texts = list(dict.fromkeys(drawn))
    for text in texts:
        text.set_alpha(0.0)
    under = pixels(figure)
    weak = []
    for text in texts:
        box = Text.get_window_extent(text)
        rows = slice(max(len(under) - int(box.y1), 0), max(len(under) - int(box.y0), 1))
        part = under[rows, max(int(box.x0), 0) : max(int(box.x1), 1)].reshape(-1, 3)
        ground = np.median(part, axis=0) / 255
        found = contrast(text.get_color(), ground)
        if found < LEAST_CONTRAST:
            weak.append((text.get_text(), found))
    return weak


@QUIET
@pytest.mark.parametrize("kind", figures(*ON_AXES))
def test_the_values_look_on_dark_axes_as_they_do_on_white_ones(kind: str) -> None:
    light = on_axes(kind, "light")
    with mpl.style.context(STYLES["dark"]):
        dark = on_axes(kind, "dark")
        found = pixels(dark)
    usual = pixels(light)
    (left, bottom), (right, top) = np.rint(light.axes[0].bbox.get_points()).astype(int)
    inside = np.s_[len(usual) - top + 4 : len(usual) - bottom - 4, left + 4 : right - 4]
    assert np.abs(found[inside] - usual[inside]).mean() < 1.0
