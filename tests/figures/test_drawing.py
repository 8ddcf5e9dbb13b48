"""What all drawing functions share: their keywords, their recipe, where they draw."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from support.plain_figure import STATES, TABLE, drawn, plot_line


def test_an_axes_of_the_user_keeps_its_look_and_carries_title_and_legend() -> None:
    figure, ax = plt.subplots()
    assert plot_line(TABLE, ax=ax) is ax
    drawn(figure)
    assert ax.spines["top"].get_visible()
    assert ax.get_title(loc="left").startswith("anna")
    assert figure.get_suptitle() == ""
    assert len(ax.get_legend().get_texts()) == len(STATES)


CELLS = (
    "import eyelog as el\nframe = el.sample()",
    "el.plot_overview(frame);",
    "el.plot_daily(el.daily(frame), 'steps');",
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


def ipython(*cells: str, backend: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", IN_IPYTHON, *cells],
        env={**os.environ, "MPLBACKEND": backend},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.split()


@pytest.mark.slow("IPython is started")
def test_ipython_without_a_kernel_shows_the_figure_of_each_cell_too() -> None:
    inline = "module://matplotlib_inline.backend_inline"
    assert ipython(*CELLS, backend=inline) == ["0", "1", "1"]


@pytest.mark.slow("IPython is started")
def test_ipython_without_a_display_keeps_the_figures_and_does_not_become_interactive() -> None:
    check = (
        "from matplotlib import pyplot as plt\n"
        "assert len(plt.get_fignums()) == 2 and not plt.isinteractive()"
    )
    assert ipython(*CELLS, check, backend="agg") == ["0", "0", "0", "0"]


def test_a_figure_of_several_panels_that_takes_a_figure_says_so() -> None:
    _, ax = plt.subplots()
    draw: Any = el.plot_day
    with pytest.raises(
        el.ConfigurationError, match=r"takes no ax=: .* and takes a figure or a part"
    ):
        draw(el.sample(), "stp", ax=ax)


def test_an_array_of_axes_and_a_list_of_columns_are_refused_in_one_line() -> None:
    days, both = el.daily(el.sample()), plt.subplots(1, 2)[1]
    with pytest.raises(el.ConfigurationError, match=r"not ndarray: pass one of them, such as"):
        el.plot_daily(days, "steps", ax=both)
    for draw in (el.plot_daily, el.plot_distribution):
        with pytest.raises(el.ConfigurationError, match="name of one column, not"):
            draw(days, ["steps"])  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="name of one column, not"):
        el.plot_heatmap(el.sample(), ["stp"])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["rate"])
def test_who_passes_a_frame_is_told_the_call_that_makes_the_table(name: str) -> None:
    draw, frame = getattr(el, f"plot_{name}"), el.sample()
    with pytest.raises(el.FieldError, match=": pass eyelog") as caught:
        draw(frame)
    call = caught.value.args[0].rpartition(": pass ")[2]
    draw(eval(call, {"eyelog": el, "frame": frame}))


def test_intervals_are_drawn_where_they_open() -> None:
    hours = el.intervals(el.sample("standard_mode_logs"), "1h")
    hours["steps"] = np.where(hours.index.hour == 8, 50.0, 0.0)
    cells = np.ma.filled(el.plot_heatmap(hours, "steps").images[0].get_array(), 0.0)
    assert np.flatnonzero(cells.sum(axis=0)).tolist() == [8]
    day = np.ravel(el.plot_day(hours.loc["2026-10-21"], "steps"))
    lines = [line for ax in day for line in ax.get_lines() if 50.0 in line.get_ydata()]
    assert lines
    for line in lines:
        assert line.get_xdata()[np.asarray(line.get_ydata()) == 50.0].tolist() == [8.5]
