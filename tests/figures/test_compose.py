"""Whole figures: the panels, the default fields and the checks."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.figures.defaults import DEFAULT_FIELDS, KINDS


@pytest.fixture(scope="module", params=list(DEFAULT_FIELDS))
def frame(request: pytest.FixtureRequest):
    return el.simulate("2026-10-19", 2, log=request.param, tz="Asia/Tokyo")


def panels(figure):
    return [ax for ax in figure.axes if not ax.get_label().startswith("<colorbar")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_either_log_has_its_default_fields_and_a_title(frame, kind: str) -> None:
    log = frame.attrs["eyelog"]["log"]
    figure = el.compose_figure(frame, kind)
    single = kind in ("timeline", "quality")
    assert len(panels(figure)) == (1 if single else len(DEFAULT_FIELDS[log][kind]))
    assert figure.get_suptitle() == f"{log}, 19 Oct 2026 to 20 Oct 2026"
    assert plt.get_fignums() == []


def test_named_fields_are_drawn_in_the_order_given(frame) -> None:
    timeline = el.compose_figure(frame, "timeline", fields=["hm_yo", "bl"])
    assert [line.get_gid() for line in timeline.axes[0].lines] == ["hm_yo", "bl"]
    summary = el.compose_figure(frame, "daily", fields=["steps", "worn_h"])
    assert [ax.get_ylabel() for ax in summary.axes] == ["Steps (per day)", "Worn (h per day)"]


def test_a_timeline_leaves_out_default_fields_that_the_frame_lacks_and_rejected_values() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs")
    (ax,) = panels(el.compose_figure(frame.drop(columns="bl"), "timeline"))
    lines = {line.get_gid(): np.asarray(line.get_ydata(), dtype=float) for line in ax.lines}
    assert "bl" not in lines
    masked = el.mask(frame, el.flag(frame))
    assert np.isfinite(lines["hm_yo"]).sum() == masked["hm_yo"].notna().sum()


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@pytest.mark.parametrize(
    ("kind", "fields", "error", "message"),
    [
        ("heatmaps", None, el.ConfigurationError, "did you mean 'heatmap'"),
        ("quality", ["bl"], el.ConfigurationError, "covers all fields"),
        ("timeline", ["blx"], el.FieldError, "'bl'"),
        ("heatmap", ["stp_s"], el.FieldError, "the heatmap needs 'stp_s'"),
        ("daily", ["nothing"], el.FieldError, "nothing"),
    ],
)
def test_what_cannot_be_drawn_is_refused(kind, fields, error, message) -> None:
    frame = el.sample("standard_mode_logs").drop(columns="stp_s")
    with pytest.raises(error, match=message):
        el.compose_figure(frame, kind, fields=fields)


def test_a_frame_without_rows_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="no records"):
        el.compose_figure(el.sample().iloc[:0], "daily")
