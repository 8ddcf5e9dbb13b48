"""Figures obey matplotlib: what a user changes, removes, adds or sets stays so."""

import inspect
import os
import pickle
import subprocess
import sys
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import eyelog as el
from support.examples import EXAMPLES
from support.public import resolve

FIGURES = sorted(name for name in EXAMPLES if name.startswith("plot_"))
ON_AXES = [name for name in FIGURES if "ax" in inspect.signature(resolve(name)).parameters]
IN_FIGURES = [name for name in FIGURES if "fig" in inspect.signature(resolve(name)).parameters]


def draw(name: str, **where: Any) -> Any:
    return resolve(name)(**EXAMPLES[name].arguments(resolve(name)), **where)


def figure_of(made: Any) -> Any:
    return np.ravel(made)[0].figure.figure


def drawn(figure: Figure) -> Figure:
    """Return a figure after it has been drawn once."""
    figure.draw_without_rendering()
    return figure


def labels(made: Any) -> list[str]:
    """Return the labels of the artists of a figure, as often as they occur on an Axes."""
    every = [each for ax in figure_of(made).axes for each in (ax, *ax.child_axes)]
    return [label for ax in every for label in ax.get_legend_handles_labels()[1]]


def test_every_figure_takes_an_axes_or_a_figure_and_a_title_and_a_legend() -> None:
    assert {*ON_AXES, *IN_FIGURES} == {*FIGURES}
    for name in FIGURES:
        assert {"title", "legend"} <= set(inspect.signature(resolve(name)).parameters)


@pytest.mark.filterwarnings("ignore:The figure layout has changed to tight")
@pytest.mark.parametrize("name", FIGURES)
def test_a_legend_is_of_the_labels_and_stays_removed_after_tight_layout_and_a_pickle(
    name: str,
) -> None:
    made = draw(name)
    figure = figure_of(made)
    written = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert {text.replace("\n", " ") for text in written} == {*labels(made)}
    figure.tight_layout()
    figure.set_size_inches(6, 4)
    for legend in list(figure.legends):
        legend.remove()
    figure.suptitle("mine")
    again = drawn(pickle.loads(pickle.dumps(drawn(figure))))
    assert again.legends == []
    assert again.get_suptitle() == "mine"
    assert again.get_size_inches().tolist() == [6, 4]


@pytest.mark.parametrize("name", ON_AXES)
def test_an_axes_of_the_user_has_each_label_once_and_its_legend_where_it_is_wanted(
    name: str,
) -> None:
    figure, axes = plt.subplot_mosaic("AAB;CDD", figsize=(7.2, 4.0), layout="constrained")
    ax = axes["A"]
    assert draw(name, ax=ax) is ax
    drawn(figure)
    legend = ax.get_legend()
    if legend is not None:
        assert legend.get_window_extent().height <= 0.5 * ax.bbox.height
    for panel in (ax, *ax.child_axes):
        found = panel.get_legend_handles_labels()[1]
        assert len(found) == len({*found})
    assert figure.get_suptitle() == ""
    for where in (False, "right", "upper left"):
        draw(name, ax=(one := plt.figure(layout="constrained").subplots()), legend=where)
        drawn(one.figure)
        right = one.get_legend()
        assert (right is None) == (where is False or not labels(one))
        if right is not None:
            assert (right.get_window_extent().x0 > one.bbox.x1) == (where == "right")


@pytest.mark.parametrize("name", IN_FIGURES)
def test_several_panels_are_drawn_in_a_part_of_a_figure(name: str) -> None:
    figure = plt.figure(figsize=(8, 6), layout="constrained")
    left, right = figure.subfigures(1, 2)
    made = draw(name, fig=left, legend="right")
    assert all(ax.figure is left for ax in np.ravel(made))
    assert right.axes == []
    drawn(figure)
    with pytest.raises(el.ConfigurationError, match="without Axes, not one that has some"):
        draw(name, fig=left)


@cache
def note_of(name: str) -> str:
    """Return the note of a figure, which is drawn without a legend too."""
    legends = figure_of(draw(name, legend=False)).legends
    return " ".join(one.get_title().get_text() for one in legends)


def place_for(name: str, kind: str) -> dict[str, Any]:
    """Return where to draw: on a figure of eyelog's own, or on a user's or a part of one."""
    if kind == "own":
        return {}
    figure: Any = plt.figure(figsize=(10, 7), layout="constrained")
    part = figure if kind == "figure" else figure.subfigures(1, 2, width_ratios=[3, 1])[0]
    return {"ax": part.subplots()} if name in ON_AXES else {"fig": part}


LEGENDS = (True, "right", "upper left", np.False_)


def kinds_for(name: str) -> list[str]:
    return ["own", "figure", *(["part"] if name in IN_FIGURES else [])]


EVERY_PLACE = [(name, kind, one) for name in FIGURES for kind in kinds_for(name) for one in LEGENDS]
# Each figure with each legend and in each place, which take turns.
IN_TURN = [
    (name, kinds_for(name)[(turn + each) % len(kinds_for(name))], one)
    for turn, name in enumerate(FIGURES)
    for each, one in enumerate(LEGENDS)
]


@pytest.mark.parametrize(("name", "kind", "legend"), IN_TURN)
def test_a_legend_has_the_labels_of_all_panels_once_and_a_note_is_never_lost(
    name: str, kind: str, legend: Any
) -> None:
    hold_legend_and_note(name, kind, legend)


@pytest.mark.slow("every figure is drawn")
@pytest.mark.parametrize(
    ("name", "kind", "legend"), [each for each in EVERY_PLACE if each not in IN_TURN]
)
def test_legends_and_notes_are_whole_in_every_place(name: str, kind: str, legend: Any) -> None:
    hold_legend_and_note(name, kind, legend)


def hold_legend_and_note(name: str, kind: str, legend: Any) -> None:
    note = note_of(name).split()
    where = place_for(name, kind)
    mine = None if "ax" not in where else where["ax"].legend([], title="mine", loc="lower right")
    made = draw(name, **where, legend=legend)
    figure = drawn(figure_of(made))
    if mine is not None:
        assert mine in where["ax"].findobj(mpl.legend.Legend)
    every = [one for one in figure.findobj(mpl.legend.Legend) if one is not mine]
    written = [text.get_text() for one in every for text in one.get_texts()]
    if legend is np.False_:
        assert written == []
    elif written or kind == "own" or (name in IN_FIGURES and kind == "figure"):
        assert sorted(text.replace("\n", " ") for text in written) == sorted({*labels(made)})
    texts = [text.get_text() for text in figure.findobj(mpl.text.Text)]
    assert not note or [text.split() for text in texts].count(note) == 1


def test_names_from_data_never_hide_an_entry_of_the_legend() -> None:
    days = el.daily(el.simulate("2026-09-28", 14, log="standard_mode_logs"))
    sides = pd.Series(["_a", "mean"] * 7, index=days.index, name="side")
    shown = labels(el.plot_change(days, "steps", by=sides))
    assert {"\N{ZERO WIDTH SPACE}_a", "mean", "mean of the side"} <= {*shown}
    assert len(shown) == len({*shown})


def test_numbers_above_a_panel_are_light_on_a_dark_figure() -> None:
    with plt.style.context("dark_background"):
        figure = plt.figure(figsize=(10, 7), layout="constrained")
        made = el.plot_week(el.daily(el.sample()), fig=figure)
        drawn(figure)
    for text in (text for ax in made for text in ax.texts):
        box, within = text.get_window_extent(), text.axes.bbox
        assert (np.mean(mpl.colors.to_rgb(text.get_color())) < 0.5) == (
            bool(within.y0 < (box.y0 + box.y1) / 2 < within.y1)
        )


def test_what_takes_other_places_says_so() -> None:
    days, both = el.daily(el.sample()), plt.subplots(1, 2)[1]
    with pytest.raises(el.ConfigurationError, match=r"takes no ax=: .* and takes a figure or a"):
        el.plot_day(el.sample(), "stp", ax=both[0])  # type: ignore[call-arg]
    with pytest.raises(el.ConfigurationError, match=r"not ndarray: pass one of them, such as"):
        el.plot_daily(days, "steps", ax=both)
    for plot, table in (
        (el.plot_daily, days),
        (el.plot_distribution, days),
        (el.plot_heatmap, el.sample()),
    ):
        with pytest.raises(el.ConfigurationError, match="name of one column, not"):
            plot(table, ["steps"])  # type: ignore[arg-type]


def test_settings_that_a_user_has_changed_are_kept_and_come_back() -> None:
    days = el.daily(el.sample())
    with mpl.rc_context({"font.family": ["DejaVu Serif"], "figure.figsize": (3.0, 2.0)}):
        before = dict(mpl.rcParams)
        ax = el.plot_daily(days, "steps")
        drawn(ax.figure)
        assert dict(mpl.rcParams) == before
    assert ax.figure.get_figwidth() == 3.0
    assert ax.xaxis.label.get_fontfamily() == ["DejaVu Serif"]
    assert el.plot_daily(days, "steps").xaxis.label.get_fontfamily() != ["DejaVu Serif"]
    own = plt.figure().subplots()
    el.plot_daily(days, "steps", ax=own)
    assert own.spines["top"].get_visible()


@pytest.mark.parametrize("name", ON_AXES)
def test_on_a_dark_ground_what_is_drawn_is_on_white_and_its_words_are_dark(name: str) -> None:
    with plt.style.context("dark_background"):
        figure, ax = plt.subplots(layout="constrained")
        draw(name, ax=ax)
        drawn(figure)
    assert np.mean(mpl.colors.to_rgb(ax.get_facecolor())) > 0.9
    if (legend := ax.get_legend()) is not None:
        assert all(np.mean(mpl.colors.to_rgb(t.get_color())) < 0.5 for t in legend.get_texts())


def test_dates_are_places_on_an_axis_of_days_and_of_time() -> None:
    frame = el.simulate("2026-03-02", 10, log="standard_mode_logs", tz="Asia/Tokyo")
    noon = pd.Timestamp("2026-03-04 12:00", tz="Asia/Tokyo")
    table = el.daily(frame)
    days = el.plot_daily(table, "steps")
    bar = days.containers[0][2]
    aware = [noon] if hasattr(days.xaxis, "set_converter") else []  # since matplotlib 3.10
    month = el.plot_month(table)[0]
    for mark in (*aware, noon.tz_localize(None), table.index[2] + pd.Timedelta("12h")):
        middle = days.axvline(mark).get_xdata(orig=False)[0]
        assert middle == pytest.approx(bar.get_x() + bar.get_width() / 2)
        assert month.axvline(mark).get_xdata(orig=False)[0] == middle
    if aware:
        naive = noon.tz_localize(None)
        mixed = np.array([[noon, naive], [naive.tz_localize("UTC"), pd.NaT]])
        placed = days.convert_xunits(mixed)
        assert np.array_equal(placed, [[middle, middle], [middle, np.nan]], equal_nan=True)
    assert days.axvline(noon.date()).get_xdata(orig=False)[0] == pytest.approx(middle - 0.5)
    days.set_xlim(pd.Timestamp("2026-03-03"), pd.Timestamp("2026-03-08"))
    drawn(days.figure)
    named = [tick.get_text()[:3] for tick in days.child_axes[0].get_xticklabels()]
    assert named == ["Tue", "Wed", "Thu", "Fri", "Sat"]
    days.set_xlim(pd.Timestamp("2026-03-04 13:00"), pd.Timestamp("2026-03-04 18:00"))
    drawn(days.figure)
    assert [tick.get_text() for tick in days.child_axes[0].get_xticklabels()] == ["Wed\n4 Mar"]
    first = el.plot_week(table)[0]
    assert first.axvline(pd.Timestamp("2026-03-08 12:00")).get_xdata(orig=False)[
        0
    ] == pytest.approx(middle + 4)
    time = el.plot_timeline(frame, ["hm_yo"])[0]
    assert time.get_xlim()[0] < time.axvline(noon).get_xdata(orig=False)[0] < time.get_xlim()[1]


@pytest.mark.parametrize("draw", [el.plot_daily, el.plot_timeline])
def test_labels_of_days_are_right_whatever_the_epoch_of_matplotlib(draw, monkeypatch) -> None:
    frame = el.simulate("2026-03-02", 10, log="standard_mode_logs")
    arguments = ["steps" if draw is el.plot_daily else ["hm_yo"]]
    named = []
    for epoch in ("1970-01-01T00:00:00", "2000-01-01T00:00:00"):
        monkeypatch.setattr(mpl.dates, "_epoch", epoch)  # as `set_epoch` does, but once
        (ax, *_) = np.ravel(draw(frame, *arguments))
        drawn(ax.figure)
        ax = (*ax.child_axes, ax)[0]
        named.append([tick.get_text() for tick in ax.get_xticklabels()])
    assert named[0] == named[1] != []


def test_a_strip_on_an_axes_of_the_user_follows_its_height() -> None:
    figure, ax = plt.subplots(figsize=(7, 5))
    el.plot_daily(el.simulate("2026-03-02", 10, log="standard_mode_logs"), "steps", ax=ax)
    (below,) = ax.child_axes
    shares = []
    for height in (5, 2.5):
        figure.set_size_inches(7, height)
        drawn(figure)
        shares.append(below.bbox.height / ax.bbox.height)
    assert shares[0] == pytest.approx(shares[1])


def test_a_frame_is_drawn_as_the_table_that_is_made_of_it() -> None:
    frame = el.simulate("2026-03-02", 14, log="standard_mode_logs")
    for draw_it, made in (
        (el.plot_daily, el.daily(frame)),
        (el.plot_month, el.daily(frame)),
        (el.plot_bouts, el.gait.bouts(frame)),
        (el.plot_attrition, el.attrition(frame)),
    ):
        one, other = (np.ravel(draw_it(table))[0] for table in (frame, made))
        kinds = [[type(artist) for artist in ax.get_children()] for ax in (one, other)]
        assert kinds[0] == kinds[1]
        assert (one.get_xlim(), one.get_ylim()) == (other.get_xlim(), other.get_ylim())
    with pytest.raises(el.FieldError, match=": pass eyelog") as caught:
        el.plot_rate(frame)
    call = caught.value.args[0].rpartition(": pass ")[2]
    el.plot_rate(eval(call, {"eyelog": el, "frame": frame}))


def test_a_slice_of_one_day_is_drawn_as_one_day_by_every_figure() -> None:
    week = el.sample("standard_mode_logs")
    day = week.loc["2026-10-21"]
    assert day.index[0] == pd.Timestamp("2026-10-21", tz="Asia/Tokyo")  # closes the day before
    bins = el.resample(week, "10min").loc["2026-10-21"]
    both = pd.concat({"anna": el.states(day), "ben": el.states(day)}, names=["account"])
    made = [
        *(el.plot_overview(table) for table in (day, el.states(day), both)),
        *(el.plot_heatmap(table, "stp_s") for table in (day, bins)),
        *(el.plot_day(table, "stp_s") for table in (day, bins, el.resample(day, "10min"))),
        *(el.plot_timeline(day), el.plot_quality(day), el.plot_actogram(el.states(day))),
    ]
    for one in made:
        panels = np.ravel(one)
        assert "Wed 21 Oct 2026" in panels[0].figure.get_suptitle()
        names = [text.get_text() for ax in panels for text in ax.get_yticklabels()]
        assert not [name for name in names if "20 Oct" in name]
        assert "Tue 20 Oct" not in [ax.get_title(loc="left") for ax in panels]
    alone = day.iloc[:1]  # a record at midnight alone is of the day that it closes
    assert [text.get_text() for text in el.plot_overview(alone).get_yticklabels()] == ["Tue 20 Oct"]


def test_intervals_are_drawn_where_they_open() -> None:
    hours = el.intervals(el.sample("standard_mode_logs"), "1h")
    hours["steps"] = np.where(hours.index.hour == 8, 50.0, 0.0)
    cells = np.ma.filled(el.plot_heatmap(hours, "steps").images[0].get_array(), 0.0)
    assert np.flatnonzero(cells.sum(axis=0)).tolist() == [8]


def test_the_states_are_distinct_in_grey() -> None:
    handles, _ = el.plot_overview(el.sample()).get_legend_handles_labels()
    steps = []
    for handle in handles:
        rgb = np.array(mpl.colors.to_rgb(handle.get_facecolor()))
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        steps.append(116 * float(linear @ [0.2126, 0.7152, 0.0722]) ** (1 / 3) - 16)
    assert len(steps) == 6
    assert min(np.diff(sorted(steps))) >= 9


CELLS = (
    "import eyelog as el\nframe = el.sample()",
    "el.plot_overview(frame);",
    "el.plot_daily(el.daily(frame), 'steps');",
)
KEPT = (
    "from matplotlib import pyplot as plt\n"
    "assert len(plt.get_fignums()) == 2 and not plt.isinteractive()"
)
IN_IPYTHON = """
import sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell = InteractiveShell.instance()
for cell in sys.argv[1:]:
    with capture_output() as said:
        result = shell.run_cell(cell)
    result.raise_error()
    print(sum("image/png" in output.data for output in said.outputs))
"""


@pytest.mark.slow("IPython is started")
@pytest.mark.parametrize(
    ("backend", "cells", "shown"),
    [
        ("module://matplotlib_inline.backend_inline", CELLS, ["0", "1", "1"]),
        ("agg", (*CELLS, KEPT), ["0", "0", "0", "0"]),
    ],
)
def test_ipython_shows_the_figure_of_each_cell_or_keeps_them(backend, cells, shown) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", IN_IPYTHON, *cells],
        env={**os.environ, "MPLBACKEND": backend},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == shown
