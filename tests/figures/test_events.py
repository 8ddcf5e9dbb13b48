"""Tables of events: what they must hold, and where they are drawn."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.figures import events as marks
from eyelog.figures import style
from eyelog.figures.style import StyledFigure


def table(starts: list[str], ends: list[str | None], labels: list[str | None]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "start": pd.to_datetime(starts).tz_localize("UTC"),
            "end": pd.to_datetime(pd.Series(ends, dtype="str")).dt.tz_localize("UTC"),
            "label": pd.Series(labels, dtype="str"),
        }
    )


def test_events_are_read_in_microseconds_and_a_moment_has_no_end() -> None:
    events = table(["1970-01-01 00:00:01", "1970-01-01 00:00:02"], ["1970-01-01 00:00:03", None],
                   ["walk", None])  # fmt: skip
    assert marks.event_us(marks.require_events(events, what="plot_day")) == [
        (1_000_000, 3_000_000, "walk"),
        (2_000_000, None, ""),
    ]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda e: e.drop(columns="label"), el.FieldError, "'label' is missing"),
        (
            lambda e: e.assign(start=e["start"].dt.tz_localize(None)),
            el.ConfigurationError,
            "starts",
        ),
        (lambda e: e.assign(end=e["start"].dt.tz_localize(None)), el.ConfigurationError, "ends"),
        (lambda e: e.assign(start=e["start"].shift()), el.ConfigurationError, "start of every"),
        (lambda e: e["start"], el.ConfigurationError, "as a table"),
    ],
)
def test_what_are_no_events_is_refused(change, error, message) -> None:
    events = table(["2025-01-01 10:00"], ["2025-01-01 11:00"], ["walk"])
    with pytest.raises(error, match=message):
        marks.require_events(change(events), what="plot_day")


def test_labels_that_would_overlap_or_leave_the_axes_are_left_out() -> None:
    figure = StyledFigure(figsize=(3, 2), layout="constrained")
    with style.style():
        ax = figure.subplots()
    ax.set_xlim(0, 100)
    marks.name_events(
        ax, [(0.0, "a long label"), (2.0, "hidden"), (60.0, "seen"), (99.0, "cut off")]
    )
    figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts if text.get_visible()] == ["a long label", "seen"]


def test_the_legend_has_one_entry_for_events() -> None:
    assert marks.entries([]) == []
    assert [label for label, _ in marks.entries([(1, None, "")])] == ["event"]
    assert [label for label, _ in marks.entries([(1, 2, ""), (3, None, "")])] == ["event"]


def test_a_stretch_is_shaded_and_a_moment_is_a_line() -> None:
    ax = plt.subplots()[1]
    marks.shade(ax, 1.0, 3.0)
    marks.shade(ax, 5.0, None)
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [(1.0, 2.0)]
    assert len(ax.lines) == 1
