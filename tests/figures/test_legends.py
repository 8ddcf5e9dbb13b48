"""Legends: which entries they have, in which order and lines."""

import pytest
from matplotlib import pyplot as plt

from eyelog.figures import style
from eyelog.figures.drawing import axes, panels
from eyelog.figures.legends import legend, patch
from support.plain_figure import drawn


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


def test_panels_share_one_legend_with_an_entry_for_each_label() -> None:
    made = panels([20, 20])
    for ax in made:
        legend(ax, [patch("usable"), patch("walking")])
    (shared,) = made[0].figure.legends
    assert [text.get_text() for text in shared.get_texts()] == ["usable", "walking"]


def test_no_record_is_the_last_of_what_panels_explain() -> None:
    made = panels([20, 20])
    legend(made[0], [patch("true"), patch("no record")])
    legend(made[1], [patch("usable"), patch("no record")])
    assert list(made[0].figure.entries) == ["true", "usable", "no record"]


@pytest.mark.parametrize(("layout", "lines"), [(None, 1), ("constrained", 2)])
def test_a_legend_is_wider_than_the_axes_of_a_user_where_that_moves_nothing(layout, lines) -> None:
    _, (ax, _) = plt.subplots(1, 2, figsize=(6, 3), layout=layout)
    if layout is None:
        ax.figure.subplots_adjust(wspace=1.0)
    legend(ax, [patch("a label that is longer than the axes", "usable")])
    (text,) = ax.get_legend().get_texts()
    assert len(text.get_text().splitlines()) == lines
