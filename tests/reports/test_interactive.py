"""Figures to zoom and brush: what they show, and what a browser makes of them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import eyelog as el
from eyelog.reports import interactive
from eyelog.reports.logs import as_logs
from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.reported import FIFTEEN, SIXTY, frame, logs


def test_the_states_of_the_overview_last_as_long_as_their_rows() -> None:
    runs = interactive._runs(logs(), SIXTY)
    hours = (runs["to_h"] - runs["from_h"]).groupby(runs["state"]).sum()
    rows = el.states(frame(SIXTY, 9)).value_counts()
    for state, n in rows[rows > 0].items():
        assert hours[state] == pytest.approx(n / 60, abs=0.05)
    assert runs["from_h"].between(0, 24).all()
    assert runs["to_h"].between(0, 24).all()


def test_what_cannot_be_measured_is_a_gap_and_not_a_zero() -> None:
    bins = logs().bins(SIXTY, "5min")
    walked = interactive._measured(bins, ["stp_s"])["stp_s"]
    unworn = (bins["exposure_min"] == 0).to_numpy()
    assert (bins.loc[unworn, "stp_s"] == 0).any()
    assert np.isnan(walked[unworn]).all()
    assert (walked[~unworn] == 0).any()


def test_time_without_records_is_hatched_and_named() -> None:
    plot = interactive._overview(logs(), FIFTEEN)
    assert plot.legend[0].items[-1].label.value == "no record"
    ground = plot.renderers[-1]
    assert (ground.level, ground.glyph.hatch_pattern) == ("underlay", "right_diagonal_line")
    assert ground not in plot.hover.renderers


@pytest.mark.parametrize(("days", "width"), [(2, "1min"), (20, "5min"), (90, "15min"), (365, "1h")])
def test_bins_are_as_wide_as_a_line_of_few_enough_points_needs(days: int, width: str) -> None:
    whole = as_logs(frame(SIXTY, 2))
    whole.__dict__["calendar"] = np.arange(days)
    assert interactive._width(whole, SIXTY) == width


@pytest.mark.slow
def test_the_page_runs_a_script_only_if_it_was_asked_for_and_keeps_its_still_figures(
    tmp_path: Path,
) -> None:
    still = el.report(frame(SIXTY, 9), tmp_path / "a.html", sections=["days"]).read_text()
    made = el.report(
        frame(SIXTY, 9), tmp_path / "b.html", sections=["days"], interactive=True
    ).read_text()
    assert "<script" not in still
    assert "script-src" not in still
    assert "script-src 'unsafe-inline'" in made
    assert made.count("<figure>") == still.count("<figure>") > 0
    assert "runs no script" in still
    assert "runs no script" not in made


@pytest.mark.slow
def test_equal_records_give_equal_pages() -> None:
    first, second = (interactive.explorable(logs()).item for _ in range(2))
    assert first == second
    assert json.loads(first)["target_id"] == interactive.PLACE


def test_a_label_cannot_end_the_script() -> None:
    assert "<" not in interactive.explorable(logs()).item


def test_page_one_alone_has_nothing_to_zoom(tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="leave out interactive= or glance="):
        el.report(frame(SIXTY, 3), tmp_path / "a.html", glance=True, interactive=True)


def test_without_the_extra_one_line_names_it_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bokeh", None)
    with pytest.raises(el.ConfigurationError, match=r"pip install 'eyelog\[interactive\]'"):
        el.report(frame(SIXTY, 3), tmp_path / "a.html", interactive=True)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return el.report([frame(SIXTY, 9), frame(FIFTEEN, 9)], path, interactive=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as window:
        yield window


SHOWN = """
const views = Object.values(Bokeh.index).map((view) => view.model.document);
const ranges = views[0].all_models ? [...views[0].all_models] : [];
return ranges.filter((model) => model.type === "RangeTool").map((model) => model.x_range.start);
"""


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_the_page_draws_and_asks_the_network_for_nothing(
    browser: Chromium, page: Path, width: int
) -> None:
    browser.open(page, width=width)
    browser.wait_until("return window.Bokeh && Bokeh.documents.every((each) => each.is_idle)")
    assert browser.run(f"return document.getElementById('{interactive.PLACE}').scrollHeight") > 500
    assert not browser.scrolls_sideways()
    assert browser.axe() == []
    assert [line for line in browser.console() if "[bokeh" not in line] == []
    assert [url for url in browser.requests() if not url.startswith(("data:", page.as_uri()))] == []


# Where the legend of the states lies within its figure.
LEGEND = """
const found = [];
const look = (view) => {
  if (view.model.type === "Legend") found.push([view.bbox.left, view.bbox.right]);
  for (const part of view.children()) look(part);
};
for (const view of Object.values(Bokeh.index)) look(view);
return found;
"""


@pytest.mark.slow
@needs_chromium
def test_the_legend_of_the_states_is_not_cut_off_on_a_phone(browser: Chromium, page: Path) -> None:
    browser.open(page, width=PHONE)
    browser.wait_until("return window.Bokeh && Bokeh.documents.every((each) => each.is_idle)")
    ((left, right),) = browser.run(LEGEND)
    assert 0 <= left < right <= PHONE - 32


@pytest.mark.slow
@needs_chromium
def test_dragging_the_shaded_span_moves_through_the_days(browser: Chromium, page: Path) -> None:
    browser.open(page, width=DESK)
    browser.wait_until("return window.Bokeh && Bokeh.documents.every((each) => each.is_idle)")
    (before,) = browser.run(SHOWN)
    place = f"document.getElementById('{interactive.PLACE}')"
    browser.run(f"{place}.scrollIntoView({{block: 'end'}})")
    box = browser.run(f"return {place}.getBoundingClientRect().toJSON()")
    browser.drag(box["right"] - 90, box["bottom"] - 60, box["right"] - 390, box["bottom"] - 60)
    (after,) = browser.run(SHOWN)
    assert after < before
