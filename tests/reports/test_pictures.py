"""Figures inside a page."""

import re
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.figures.styled_figure import StyledFigure
from eyelog.reports.pictures import MeasuringCanvas, closing, figure_of
from support.drawn import as_svg


def drawn(**changes: object) -> str:
    days = el.daily(el.sample("standard_mode_logs"))
    with closing(figure_of(el.plot_daily(days, "blink_rate_per_min"))) as figure:
        return as_svg(figure, **{"width_mm": 183} | changes)


def test_a_figure_is_named_and_described() -> None:
    root = ET.fromstring(drawn(title="Blinks & more", description="<what>"))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "k-title k-desc"
    (title, description) = list(root)[:2]
    assert title.tag.endswith("title")
    assert [title.text, description.text] == ["Blinks & more", "<what>"]


def test_text_stays_text_and_nothing_leads_out_of_the_page() -> None:
    svg = drawn()
    assert "Blink rate (per min)" in svg
    links = re.findall(r'(?:href|src)="([^"]*)"', svg)
    assert all(link.startswith(("#k-", "data:")) for link in links)


def test_every_id_begins_with_the_key_and_comes_once() -> None:
    ids = re.findall(r'\sid="([^"]*)"', drawn())
    assert all(name.startswith("k-") for name in ids)
    assert len(ids) == len(set(ids))


def test_equal_figures_have_equal_bytes_whatever_the_settings_of_the_user() -> None:
    first = drawn()
    with mpl.rc_context({"svg.fonttype": "path", "font.size": 20}):
        assert drawn() == first


def test_a_point_shows_its_day_and_its_value() -> None:
    days = el.daily(el.sample("standard_mode_logs"))["blink_rate_per_min"]
    assert f"<title>Blink rate, Mon 19 Oct: {days.iloc[0]:.1f} per min</title>" in drawn()


def test_a_cloud_of_points_has_no_names() -> None:
    figure, ax = plt.subplots()
    ax.scatter(range(500), range(500))
    with closing(figure):
        svg = as_svg(figure)
    assert svg.count("<title") == 1


@pytest.mark.parametrize("panels", [1, 3])
def test_the_figure_of_axes_of_panels_and_of_a_figure_is_found(panels: int) -> None:
    figure, axes = plt.subplots(panels)
    with closing(figure):
        assert figure_of(axes) is figure
        assert figure_of(figure) is figure
        assert figure_of(figure.subfigures().subplots()) is figure


def test_pyplot_keeps_no_figure_of_a_report() -> None:
    before = plt.get_fignums()
    drawn()
    assert plt.get_fignums() == before


def test_text_on_a_page_is_larger_than_in_a_journal() -> None:
    box = re.search(r'viewBox="0 0 ([\d.]+) ', drawn(width_mm=89))
    assert box is not None
    # The page shows it 89 mm wide.
    assert float(box[1]) == pytest.approx(89 / 25.4 * 72 * 6 / 7, abs=0.1)


def test_a_figure_is_drawn_once_and_keeps_its_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    original = StyledFigure.draw
    monkeypatch.setattr(
        StyledFigure, "draw", lambda self, to: (drawn.append(1), original(self, to))[1]
    )
    with closing(figure_of(el.plot_daily(el.daily(el.sample()), "worn_h"))) as figure:
        engine, dpi = figure.get_layout_engine(), figure.dpi
        as_svg(figure, key="a", title="Worn", description="Hours")
        assert (len(drawn), figure.get_layout_engine(), figure.dpi) == (1, engine, dpi)


@pytest.mark.parametrize("lower", [0.9, 0.76, 0.6, 0.5])
def test_no_label_is_cut_off_however_low_the_page_shows_a_figure(
    lower: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []
    original = StyledFigure.draw

    def draw(self: StyledFigure, renderer: object) -> None:
        original(self, renderer)
        left.extend(ax.yaxis.label.get_window_extent(renderer).x0 for ax in self.axes)

    monkeypatch.setattr(StyledFigure, "draw", draw)
    hours = el.blinks.rate(el.sample("standard_mode_logs"), by="1h")["rate_per_min"]
    usual = el.rhythm.profile(hours, by="hour", stamp="end")
    with closing(figure_of(el.plot_profile(usual))) as figure:
        figure.set_figheight(lower * figure.get_figheight())
        as_svg(figure, 77.5)
    assert min(left) >= 0


def test_a_label_without_a_unit_breaks_where_a_figure_has_few_rows() -> None:
    figure, ax = plt.subplots(figsize=(3.0, 0.6), layout="constrained")
    ax.set_ylabel("Share of recorded time")
    with closing(figure):
        svg = as_svg(figure, 77.5)
    assert "Share of</" in svg or ">Share of<" in svg


def test_texts_of_all_figures_are_measured_by_one_renderer() -> None:
    first, second = (MeasuringCanvas(StyledFigure()).get_renderer() for _ in range(2))
    assert first is second
