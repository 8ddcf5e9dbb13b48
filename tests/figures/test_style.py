"""The look: whose figures have it, and what it does to title, legend and colours."""

import io
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from jupyter_client.manager import start_new_kernel
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import eyelog as el
from eyelog.figures import style
from eyelog.figures.recipe import recipe_of
from eyelog.figures.style import COLOURS, StyledFigure, axes, legend, panels, patch, set_title

STATES = ("usable", "off pose", "noisy", "walking", "not worn", "no record")


@style.plot_function
def plot_line(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    ax = axes(ax)
    ax.plot(table["v"].to_numpy())
    set_title(ax, "anna · 15-second log · 20 to 26 Oct 2025 · Asia/Tokyo")
    legend(ax, [patch(name) for name in STATES])
    return ax


TABLE = pd.DataFrame({"v": [1.0, 2.0]})


def drawn(figure: Figure) -> Figure:
    figure.savefig(io.BytesIO(), format="png")
    return figure


def test_the_settings_of_the_user_are_back_after_a_figure_is_made_and_drawn() -> None:
    before = dict(mpl.rcParams)
    drawn(plot_line(TABLE).figure)
    assert dict(mpl.rcParams) == before


def test_a_figure_of_our_own_has_the_look_whatever_settings_the_user_has() -> None:
    with mpl.rc_context({"font.size": 20, "axes.spines.top": True, "axes.facecolor": "black"}):
        ax = plot_line(TABLE)
        drawn(ax.figure)
    assert isinstance(ax.figure, StyledFigure)
    assert not ax.spines["top"].get_visible()
    assert to_rgb(ax.get_facecolor()) == (1, 1, 1)
    assert ax.get_xticklabels()[0].get_fontsize() == 6


def test_an_axes_of_the_user_keeps_its_look_and_carries_title_and_legend() -> None:
    figure, ax = plt.subplots()
    assert plot_line(TABLE, ax=ax) is ax
    drawn(figure)
    assert ax.spines["top"].get_visible()
    assert ax.get_title(loc="left").startswith("anna")
    assert figure.get_suptitle() == ""
    assert len(ax.get_legend().get_texts()) == len(STATES)


@pytest.mark.parametrize("width_mm", [89, 183, 247])
def test_title_and_legend_fit_into_every_width(width_mm: float) -> None:
    figure = plot_line(TABLE).figure
    figure.set_size_inches(style.inches(width_mm), 3)
    drawn(figure)
    assert figure.legends[0].get_window_extent().width <= figure.bbox.width
    assert figure._suptitle.get_window_extent().x1 <= figure.bbox.width
    text = figure.get_suptitle()
    assert text.replace("\n", " · ") == "anna · 15-second log · 20 to 26 Oct 2025 · Asia/Tokyo"


def test_a_wide_figure_has_its_legend_and_title_in_one_line() -> None:
    figure = drawn(plot_line(TABLE).figure)
    rows = {round(text.get_window_extent().y0) for text in figure.legends[0].get_texts()}
    assert len(rows) == 1
    assert "\n" not in figure.get_suptitle()


def test_a_legend_of_two_lines_is_read_line_by_line() -> None:
    figure = plot_line(TABLE).figure
    figure.set_size_inches(style.inches(89), 3)
    texts = drawn(figure).legends[0].get_texts()
    places = [(-round(t.get_window_extent().y0), t.get_window_extent().x0) for t in texts]
    ordered = sorted(zip(places, texts, strict=True), key=lambda placed: placed[0])
    assert [text.get_text() for _, text in ordered] == list(STATES)


def test_panels_share_one_legend_with_an_entry_for_each_label() -> None:
    made = panels([20, 20])
    for ax in made:
        legend(ax, [patch("usable"), patch("walking")])
    (shared,) = made[0].figure.legends
    assert [text.get_text() for text in shared.get_texts()] == ["usable", "walking"]


def test_no_missing_font_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_line(TABLE).figure.canvas.draw()
    assert "findfont" not in caplog.text


def lightness(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_the_states_are_distinct_in_grey() -> None:
    steps = sorted(lightness(COLOURS[name]) for name in STATES)
    assert min(np.diff(steps)) >= 9


@pytest.mark.parametrize("meaning", list(style.SEQUENTIAL))
def test_a_sequential_scale_runs_from_light_to_dark_and_keeps_zero_apart_from_no_record(
    meaning: str,
) -> None:
    scale = style.sequential(meaning)
    steps = [lightness(mpl.colors.to_hex(scale(x))) for x in np.linspace(0, 1, 20)]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] < 95
    assert mpl.colors.to_hex(scale(np.nan)) == COLOURS["masked"].lower()


def test_a_figure_can_be_pickled_and_drawn_again() -> None:
    states = el.states(el.sample("standard_mode_logs"))
    figure = pickle.loads(pickle.dumps(el.plot_overview(states).figure))
    assert len(drawn(figure).legends) == 1


def test_what_a_plot_function_returns_carries_its_recipe() -> None:
    figures = recipe_of(plot_line(TABLE))["figures"]
    assert figures == [
        {"figure": "plot_line", "arguments": {"table": {"rows": 2, "columns": ["v"]}}}
    ]


def test_a_long_label_does_not_make_a_column_of_the_whole_legend() -> None:
    ax = axes(None)
    long = [patch("a label that takes nearly all of one column of a journal at 89 mm", "usable")]
    legend(ax, [*long, *(patch(str(i), "usable") for i in range(12))])
    ax.figure.set_size_inches(style.inches(89), 3)
    texts = drawn(ax.figure).legends[0].get_texts()
    lines = {round(text.get_window_extent().y0) for text in texts}
    assert len(lines) <= 3
    assert max(text.get_window_extent().x1 for text in texts) <= ax.figure.bbox.width
    assert [text.get_text() for text in texts][1:] == [str(i) for i in range(12)]


def test_a_name_that_is_too_long_for_the_figure_loses_its_middle() -> None:
    ax = axes(None)
    set_title(ax, "wearer-" + 100 * "0" + "-end · 15-second log")
    ax.figure.set_size_inches(style.inches(89), 3)
    assert drawn(ax.figure)._suptitle.get_window_extent().x1 <= ax.figure.bbox.width
    first, second = ax.figure.get_suptitle().split("\n")
    assert first.startswith("wearer-0")
    assert first.endswith("-end")
    assert second == "15-second log"


def test_a_title_that_is_given_takes_the_place_of_ours_and_an_empty_one_drops_it() -> None:
    days = el.daily(el.sample())
    assert el.plot_daily(days, "steps", title="Steps at work").figure.get_suptitle() == (
        "Steps at work"
    )
    assert drawn(el.plot_daily(days, "steps", title="").figure).get_suptitle() == ""
    _, ax = plt.subplots()
    assert el.plot_daily(days, "steps", ax=ax, title="").get_title(loc="left") == ""


def test_a_title_that_the_user_sets_afterwards_takes_the_place_of_ours() -> None:
    days = el.daily(el.sample())
    over = el.plot_daily(days, "steps").figure
    over.suptitle("mine")
    assert drawn(over).get_suptitle() == "mine"
    ax = el.plot_daily(days, "steps")
    ax.set_title("mine")
    assert drawn(ax.figure).get_suptitle() == ""
    panels_of_week = el.plot_timeline(el.sample("standard_mode_logs"), fields=["tl_yav"])
    assert drawn(panels_of_week[0].figure).get_suptitle() != ""


def test_no_record_is_the_last_of_what_panels_explain() -> None:
    made = panels([20, 20])
    legend(made[0], [patch("true"), patch("no record")])
    legend(made[1], [patch("usable"), patch("no record")])
    assert list(made[0].figure.entries) == ["true", "usable", "no record"]


CELLS = (
    "import eyelog as el\nframe = el.sample()",
    "el.plot_overview(frame);",
    "el.plot_daily(el.daily(frame), 'steps');",
)


def notebook_images(cells: Sequence[str]) -> list[int]:
    """Run cells in a new kernel, as Jupyter and VS Code do, and count the images of each."""
    env = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    manager, client = start_new_kernel(env=env)
    try:
        return [_images(client, cell) for cell in cells]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _images(client: Any, cell: str) -> int:
    said: list[dict[str, Any]] = []
    reply = client.execute_interactive(cell, timeout=120, output_hook=said.append)
    assert reply["content"]["status"] == "ok", reply["content"]
    return sum("image/png" in message["content"].get("data", {}) for message in said)


def test_each_cell_of_a_notebook_without_the_magic_shows_its_figure() -> None:
    assert notebook_images(CELLS) == [0, 1, 1]


@pytest.mark.slow
def test_a_report_in_a_notebook_leaves_the_figures_of_the_next_cells_to_be_shown() -> None:
    report = "el.report(frame, __import__('tempfile').mkdtemp() + '/r.html', sections=['days']);"
    assert notebook_images([CELLS[0], report, *CELLS[1:]]) == [0, 0, 1, 1]


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


def ipython(*cells: str, backend: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", IN_IPYTHON, *cells],
        env={**os.environ, "MPLBACKEND": backend},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.split()


@pytest.mark.slow
def test_ipython_without_a_kernel_shows_the_figure_of_each_cell_too() -> None:
    inline = "module://matplotlib_inline.backend_inline"
    assert ipython(*CELLS, backend=inline) == ["0", "1", "1"]


@pytest.mark.slow
def test_ipython_without_a_display_keeps_the_figures_and_does_not_become_interactive() -> None:
    check = (
        "from matplotlib import pyplot as plt\n"
        "assert len(plt.get_fignums()) == 2 and not plt.isinteractive()"
    )
    assert ipython(*CELLS, check, backend="agg") == ["0", "0", "0", "0"]


@pytest.mark.parametrize(
    "draw",
    [el.plot_timeline, el.plot_week, el.plot_month, el.plot_change, el.plot_actogram],
)
def test_a_figure_of_several_panels_says_that_it_takes_no_axes(draw: Any) -> None:
    _, ax = plt.subplots()
    with pytest.raises(el.ConfigurationError, match=f"{draw.__name__} takes no ax=: it draws sev"):
        draw(el.sample(), ax=ax)


def test_a_figure_of_several_panels_that_takes_a_figure_says_so() -> None:
    _, ax = plt.subplots()
    draw: Any = el.plot_day
    with pytest.raises(
        el.ConfigurationError, match=r"takes no ax=: .* and takes a figure or a part"
    ):
        draw(el.sample(), "stp", ax=ax)
