"""Tables of events: what they must hold, and where they are drawn."""

from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.figures import drawing, style
from eyelog.figures import events as marks
from support.collisions import collisions_when_saved
from support.figures import notes


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


def test_a_label_is_one_line() -> None:
    assert marks.event_us(table(["1970-01-01"], [None], ["line one\n  line two"]))[0][2] == (
        "line one line two"
    )


def test_a_key_without_spaces_breaks_within_its_words() -> None:
    frame = el.simulate("2026-10-19", 2, log="standard_mode_logs", tz="UTC")
    starts = ["2026-10-19 09:00", "2026-10-19 09:10"]
    ax = el.plot_timeline(frame, events=table(starts, [None, None], ["x" * 300, "b"]))[0]
    ax.figure.set_size_inches(89 / 25.4, 5.0)
    ax.figure.canvas.draw()
    (noted,) = ax.figure._noted
    assert noted.get_window_extent().width <= ax.figure.bbox.width
    assert noted.get_text().replace("\n", "").count("x") == 300


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            lambda e: e.assign(end=e["start"] - pd.Timedelta("1min")),
            el.ConfigurationError,
            "an event that ends before it starts: 'walk', from 2025-01-01 10:00",
        ),
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


def named(*places: tuple[float, str]):
    ax = drawing.panels([20])[0]
    ax.set_xlim(0, 100)
    with style.style():
        marks.name_events([(ax, x, label) for x, label in places])
        ax.figure.canvas.draw()
    return ax


def test_events_that_fit_have_their_names_and_stay_within_the_axes() -> None:
    ax = named((0.0, "a long label"), (60.0, "seen"), (99.0, "at the end"))
    assert [text.get_text() for text in ax.texts] == ["a long label", "seen", "at the end"]
    assert ax.texts[-1].get_window_extent().x1 <= ax.bbox.x1 + 1
    assert ax.figure.note == ("", "")


def test_events_that_do_not_fit_are_numbers_with_a_key_and_none_is_left_out() -> None:
    ax = named((0.0, "a long label"), (1.0, "another"), (1.2, "a long label"), (99.0, "last"))
    assert [text.get_text() for text in ax.texts] == ["1", "2", "1", "3"]
    boxes = sorted((text.get_bbox_patch().get_window_extent() for text in ax.texts),
                   key=lambda box: box.x0)  # fmt: skip
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))
    key = ax.figure.note[1].replace("\N{NO-BREAK SPACE}", " ")
    assert key == "Diary: 1 a long label · 2 another · 3 last"
    assert not any(text.get_in_layout() for text in ax.texts)


def test_a_wider_figure_has_words_again() -> None:
    ax = named((0.0, "quite a long label of this event"), (30.0, "next"))
    figure = ax.figure
    figure.set_size_inches(style.inches(60), 2)
    figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == ["1", "2"]
    figure.set_size_inches(style.inches(247), 2)
    figure.canvas.draw()
    assert ax.texts[1].get_text() == "next"
    assert figure.note == ("", "")


def test_two_events_that_follow_each_other_are_two() -> None:
    ax = plt.subplots()[1]
    marks.shade(ax, 1.0, 3.0)
    marks.shade(ax, 3.0, 4.0)
    begins = [line for line in ax.lines if line.get_label() == "_event begins"]
    assert [line.get_xdata()[0] for line in begins] == [1.0, 3.0]


def test_the_legend_has_one_entry_for_events() -> None:
    assert marks.entries([]) == []
    assert [label for label, _ in marks.entries([(1, None, "")])] == ["event"]
    assert [label for label, _ in marks.entries([(1, 2, ""), (3, None, "")])] == ["event"]


def test_a_stretch_is_shaded_and_a_moment_is_a_line() -> None:
    ax = plt.subplots()[1]
    marks.shade(ax, 1.0, 3.0)
    marks.shade(ax, 5.0, None)
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [(1.0, 2.0)]
    assert len([line for line in ax.lines if line.get_label() == "_event"]) == 1


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("number", [28, 60])
def test_all_numbers_of_a_lane_lie_within_it_and_the_key_over_nothing(
    number: int, width: str, tmp_path: Path
) -> None:
    lane = el.plot_timeline(el.sample(), fields=["stp"], events=notes(number))[-1].figure.axes[-1]
    assert not collisions_when_saved(lane, tmp_path / "a.png", width=width)
    figure = lane.figure
    figure.set_size_inches(style.inches(89), figure.height_at(style.inches(89)))
    figure.draw_without_rendering()
    discs = [text for text in lane.texts if text.get_text()]
    assert len(discs) == number
    for disc in discs:
        box = disc.get_bbox_patch().get_window_extent()
        assert lane.bbox.x0 - 1 <= box.x0
        assert box.x1 <= lane.bbox.x1 + 1


def test_a_key_that_a_page_has_no_room_for_is_refused_with_what_to_do() -> None:
    with pytest.raises(el.ConfigurationError, match="a page has 170: draw fewer days or fewer"):
        el.plot_timeline(el.sample(), fields=["stp"], events=notes(300))


def test_a_line_leads_from_a_number_that_was_moved_to_its_moment() -> None:
    ax = named(*((50.0 + 0.1 * place, f"a long label of event {place}") for place in range(12)))
    leaders = [line for line in ax.lines if line.get_label() == "_leader"]
    led = [line for line in leaders if len(line.get_xdata())]
    assert len(led) >= 8
    discs = [text for text in ax.texts if text.get_text()]
    for disc, line in zip(discs, leaders, strict=True):
        if line in led:
            assert line.get_xdata() == pytest.approx([0.0, disc.xyann[0]])


def test_places_move_apart_no_further_than_they_must() -> None:
    assert marks.spread_apart([10.0, 30.0], 0.0, 40.0, 9.0) == [10.0, 30.0]
    assert marks.spread_apart([20.0, 20.0], 0.0, 40.0, 9.0) == [15.5, 24.5]
    assert marks.spread_apart([39.0, 40.0], 0.0, 40.0, 9.0) == [31.0, 40.0]
