"""Figures inside a page."""

import re

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.reports.pictures import closing, figure_of
from support.drawn import as_svg


def drawn(**changes: object) -> str:
    days = el.daily(el.sample("standard_mode_logs"))
    with closing(figure_of(el.plot_daily(days, "blink_rate_per_min"))) as figure:
        return as_svg(figure, **{"width_mm": 183} | changes)


def test_text_stays_text_and_nothing_leads_out_of_the_page() -> None:
    svg = drawn()
    assert "Blink rate (per min)" in svg
    links = re.findall(r'(?:href|src)="([^"]*)"', svg)
    assert all(link.startswith(("#k-", "data:")) for link in links)


def test_equal_figures_have_equal_bytes_whatever_the_settings_of_the_user() -> None:
    first = drawn()
    with mpl.rc_context({"svg.fonttype": "path", "font.size": 20}):
        assert drawn() == first


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


def test_a_label_without_a_unit_breaks_where_a_figure_has_few_rows() -> None:
    figure, ax = plt.subplots(figsize=(3.0, 0.6), layout="constrained")
    ax.set_ylabel("Share of recorded time")
    with closing(figure):
        svg = as_svg(figure, 77.5)
    assert "Share of</" in svg or ">Share of<" in svg
