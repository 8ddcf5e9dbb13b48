"""What all drawing functions share: their keywords, their recipe, where they draw."""

import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import eyelog as el
from eyelog.figures.recipe import recipe_of
from support.collisions import collisions
from support.plain_figure import STATES, TABLE, drawn, plot_line


def test_an_axes_of_the_user_keeps_its_look_and_carries_title_and_legend() -> None:
    figure, ax = plt.subplots()
    assert plot_line(TABLE, ax=ax) is ax
    drawn(figure)
    assert ax.spines["top"].get_visible()
    assert ax.get_title(loc="left").startswith("anna")
    assert figure.get_suptitle() == ""
    assert len(ax.get_legend().get_texts()) == len(STATES)


def test_what_a_plot_function_returns_carries_its_recipe() -> None:
    figures = recipe_of(plot_line(TABLE))["figures"]
    assert figures == [
        {"figure": "plot_line", "arguments": {"table": {"rows": 2, "columns": ["v"]}}}
    ]


def test_a_title_that_is_given_takes_the_place_of_ours_and_an_empty_one_drops_it() -> None:
    days = el.daily(el.sample())
    assert el.plot_daily(days, "steps", title="Steps at work").figure.get_suptitle() == (
        "Steps at work"
    )
    assert drawn(el.plot_daily(days, "steps", title="").figure).get_suptitle() == ""
    _, ax = plt.subplots()
    assert el.plot_daily(days, "steps", ax=ax, title="").get_title(loc="left") == ""


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


@pytest.mark.parametrize("draw", [el.plot_profile, el.plot_daily, el.plot_cohort])
def test_the_axes_and_the_title_are_shown_as_keywords_of_every_figure_of_one_panel(
    draw: Any,
) -> None:
    *_, ax, title = inspect.signature(draw).parameters.values()
    assert (ax.name, title.name) == ("ax", "title")
    assert {ax.kind, title.kind} == {inspect.Parameter.KEYWORD_ONLY}
    assert (ax.default, title.default) == (None, None)


def usual_subplots(rows: int, draw: Callable[..., Any]) -> Figure:
    """Return the upper of `plt.subplots` without settings drawn on, the lower one a user's."""
    figure, axes = plt.subplots(rows, 1, squeeze=False)
    draw(ax=axes[0, 0])
    if rows > 1:
        axes[1, 0].plot([0, 1])
    return figure


ON_AXES: dict[str, Callable[..., Any]] = {
    "overview": lambda **ax: el.plot_overview(el.states(el.sample()), **ax),
    "heatmap": lambda **ax: el.plot_heatmap(el.resample(el.sample(), "1h"), "stp", **ax),
    "daily": lambda **ax: el.plot_daily(el.daily(el.sample()), "steps", **ax),
    "profile": lambda **ax: el.plot_profile(el.rhythm.profile(el.sample()["hm_yo"]), **ax),
    "rate": lambda **ax: el.plot_rate(el.blinks.rate(el.sample(), by="hour"), **ax),
    "quality": lambda **ax: el.plot_quality(el.sample(), **ax),
    "bouts": lambda **ax: el.plot_bouts(el.gait.bouts(el.sample()), **ax),
}


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("kind", ON_AXES)
def test_words_have_room_in_subplots_without_settings(kind: str, rows: int) -> None:
    assert not collisions(usual_subplots(rows, ON_AXES[kind]))


def test_a_user_may_still_place_the_subplots_or_choose_a_layout(tmp_path: Path) -> None:
    figure = usual_subplots(1, ON_AXES["heatmap"])
    figure.tight_layout()
    figure.subplots_adjust(left=0.4)
    figure.savefig(tmp_path / "a.png")
    assert figure.axes[0].get_position().x0 == pytest.approx(0.4)
    figure = usual_subplots(1, ON_AXES["rate"])
    figure.subplots_adjust(left=0.4)
    figure.savefig(tmp_path / "a.png")
    assert figure.axes[0].get_position().x0 == pytest.approx(0.4)


def test_where_the_user_has_placed_the_subplots_one_warning_says_what_does_not_fit() -> None:
    figure, ax = plt.subplots(gridspec_kw={"bottom": 0.01})
    with pytest.warns(el.EyelogWarning, match='layout="constrained"'):
        ON_AXES["rate"](ax=ax)
    ON_AXES["daily"](ax=ax)  # once for each figure: another warning would be an error here
    assert figure.axes[0].get_position().y0 == pytest.approx(0.01)
