"""Whole figures: the panels, the default fields and the checks."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.catalogue import LOGS
from eyelog.figures.compose import DRAW
from eyelog.figures.defaults import DEFAULT_FIELDS, KINDS
from eyelog.figures.labels import LOG_WORDS
from eyelog.figures.styled_figure import StyledFigure
from support.packets import CURRENT, packets


@pytest.fixture(scope="module", params=LOGS)
def frame(request: pytest.FixtureRequest):
    if request.param == CURRENT:  # two days of it are two million rows
        starts = "2026-10-19T10:00:00Z", "2026-10-20T10:00:00Z"
        return pd.concat([packets(6000, start=start, tz="Asia/Tokyo") for start in starts])
    return el.simulate("2026-10-19", 2, log=request.param, tz="Asia/Tokyo")


def panels(figure):
    return [ax for ax in figure.axes if not ax.get_label().startswith("<colorbar")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_either_log_is_drawn_with_the_look_and_left_to_nobody_to_close(
    frame, kind: str
) -> None:
    if frame.attrs["eyelog"]["log"] == CURRENT and kind in ("rhythm", "bouts", "week", "change"):
        pytest.skip("minutes of single steps have no rhythm, no bouts and no days that count")
    figure = el.compose_figure(frame, kind, at="2026-10-20" if kind == "change" else None)
    assert isinstance(figure, StyledFigure)
    assert figure.axes
    assert plt.get_fignums() == []


@pytest.mark.parametrize("kind", ["overview", "timeline", "day", "quality"])
def test_a_title_names_log_and_range(frame, kind: str) -> None:
    words = LOG_WORDS[frame.attrs["eyelog"]["log"]]
    assert el.compose_figure(frame, kind).get_suptitle().startswith(f"{words} · 19 to 20 Oct 2026")


def test_every_kind_has_a_function_and_fields_only_where_it_draws_fields() -> None:
    assert set(DRAW) == set(KINDS)
    for kinds in DEFAULT_FIELDS.values():
        assert set(kinds) <= set(KINDS)


def titles(figure) -> list[str]:
    return [ax.get_title(loc="left") for ax in figure.axes]


def test_named_fields_are_drawn_in_the_order_given(frame) -> None:
    timeline = el.compose_figure(frame, "timeline", fields=["hm_yo", "bl"])
    assert [title.split(" ")[0] for title in titles(timeline)] == ["Head", "Battery"]
    summary = el.compose_figure(frame, "daily", fields=["steps", "worn_h"])
    assert [ax.get_ylabel() for ax in summary.axes] == ["Steps (per day)", "Worn (h per day)"]
    day = el.compose_figure(frame, "day", fields=["hm_yo"])
    assert titles(day) == ["Mon 19 Oct", "Tue 20 Oct"]


def test_a_timeline_leaves_out_default_fields_that_the_frame_lacks_and_rejected_values() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs")[:400]
    figure = el.compose_figure(frame.drop(columns="bl"), "timeline")
    assert "Battery (level)" not in titles(figure)
    assert titles(figure)[-1] == "State"
    (line,) = [line for ax in figure.axes for line in ax.lines if line.get_label() == "hm_yo"]
    masked = el.mask(frame, el.flag(frame))
    finite = np.isfinite(np.asarray(line.get_ydata(), dtype=float))
    assert finite.sum() == masked["hm_yo"].notna().sum()


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@pytest.mark.parametrize(
    ("kind", "fields", "error", "message"),
    [
        ("heatmaps", None, el.ConfigurationError, "did you mean 'heatmap'"),
        ("quality", ["bl"], el.ConfigurationError, "takes no fields"),
        ("overview", ["bl"], el.ConfigurationError, "takes no fields"),
        ("day", ["bl", "hm_yo", "hm_po"], el.ConfigurationError, "one or two fields"),
        ("timeline", ["blx"], el.FieldError, "'bl'"),
        ("heatmap", ["stp_s"], el.FieldError, "the heatmap needs 'stp_s'"),
        ("daily", ["nothing"], el.FieldError, "nothing"),
    ],
)
def test_what_cannot_be_drawn_is_refused(kind, fields, error, message) -> None:
    frame = el.sample("standard_mode_logs").drop(columns="stp_s")
    with pytest.raises(error, match=message):
        el.compose_figure(frame, kind, fields=fields)


@pytest.fixture(scope="module")
def fortnight() -> pd.DataFrame:
    return el.simulate("2026-10-12", 14, log="standard_mode_logs", tz="Asia/Tokyo")


def names_of(figure) -> list[str]:
    return [text.get_text().split("\n")[0] for text in figure.axes[0].get_xticklabels()]


def test_a_change_compares_periods_weekends_or_labels_of_a_diary(fortnight) -> None:
    assert names_of(el.compose_figure(fortnight, "change", at="2026-10-19")) == ["before", "after"]
    weekend = el.compose_figure(fortnight, "change", by="weekend", fields=["steps"])
    assert names_of(weekend) == ["weekday", "weekend"]
    assert weekend.axes[0].get_ylabel().startswith("Steps")
    starts = pd.date_range("2026-10-12 09:00", periods=12, freq="D", tz="Asia/Tokyo")
    diary = pd.DataFrame({"start": starts, "end": starts + pd.Timedelta("8h")})
    diary["label"] = ["home", "office"] * 6
    labelled = el.compose_figure(fortnight, "change", by="events", events=diary)
    assert names_of(labelled) == ["home", "office"]


def test_an_actogram_shows_states_or_one_field_and_the_diary(fortnight) -> None:
    plain = el.compose_figure(fortnight, "actogram")
    assert plain.axes[1].get_xlabel() == "Worn (h)"
    day = pd.Timestamp("2026-10-13 09:00", tz="Asia/Tokyo")
    diary = pd.DataFrame({"start": [day], "end": [pd.NaT], "label": ["Seminar"]})
    shown = el.compose_figure(fortnight, "actogram", fields=["hm_yo"], events=diary)
    assert len(shown.axes) == 2


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("change", {}, "plot_change takes either at="),
        ("change", {"at": "2026-10-19", "by": "weekend"}, "plot_change takes either at="),
        ("change", {"by": "events"}, "give both events= and by='events', or neither"),
        ("change", {"at": "2026-10-19", "fields": ["steps", "worn_h"]}, "takes one field, not 2"),
        ("actogram", {"fields": ["hm_yo", "hm_po"]}, "takes one field, not 2"),
        ("week", {"fields": ["steps"]}, "takes no fields"),
        ("week", {"at": "2026-10-19"}, "compares no days: leave out at=, or draw change"),
        ("daily", {"by": "weekend"}, "compares no days: leave out by=, or draw change"),
    ],
)
def test_days_are_compared_by_one_thing_and_only_in_a_change(
    fortnight, kind: str, options: dict, message: str
) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.compose_figure(fortnight, kind, **options)


def test_a_frame_without_rows_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="no records"):
        el.compose_figure(el.sample().iloc[:0], "daily")


def test_the_hours_stand_once_under_all_panels_of_days() -> None:
    made = el.compose_figure(el.sample(), "daily").axes
    assert [len(ax.child_axes) for ax in made] == [0, 0, 1]
