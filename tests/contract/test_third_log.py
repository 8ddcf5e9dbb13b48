"""A log more is a row of the catalogue more: no other room has to learn of it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.triallog import TRIAL, seconds, trial_log

pytestmark = pytest.mark.usefixtures("trial")


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with trial_log(monkeypatch):
        yield


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """Return a file as an app would write it: long names, dates as text, booleans as words."""
    frame = seconds().rename(
        columns={"pulse": "pulseRate", "stairs": "stairCount", "off_head": "isOffHead"}
    )
    frame.index = pd.Index(frame.index.strftime("%Y-%m-%dT%H:%M:%SZ"), name="date")
    path = tmp_path / "trial.csv"
    frame.to_csv(path)
    return path


def test_the_trial_log_is_known_only_here() -> None:
    known = ("computed_data", "standard_mode_logs", "current_data", TRIAL.name)
    with pytest.raises(el.FieldError) as caught:
        el.fields("no log")
    named = " and ".join(f"el.fields('{log}')" for log in known)
    assert f"{named} list all fields" in str(caught.value)
    assert el.fields(TRIAL.name).index.tolist() == ["date", "pulse", "stairs", "off_head"]


def test_a_file_of_it_is_read(csv: Path) -> None:
    frame = el.read(csv)
    pd.testing.assert_frame_equal(frame, seconds(), check_freq=False)


def test_its_frames_are_told_apart_from_those_of_other_logs() -> None:
    mixed = seconds().assign(bk_n=1.0)
    with pytest.raises(el.MixedLogsError, match=r"'bk_n'.*'off_head'|'off_head'.*'bk_n'"):
        el.flag(mixed, log=TRIAL.name)
    with pytest.raises(el.ConfigurationError, match=r"trial_log' \(1-second log\)"):
        el.flag(pd.DataFrame({"x": [1.0]}, index=seconds().index[:1]))


def test_its_values_are_flagged_and_masked() -> None:
    frame = seconds()
    reasons = el.flag(frame)
    pulse = reasons["pulse"]
    assert (pulse.iloc[100:110] == el.Reason.UNWORN).all()
    assert (pulse.iloc[200:220] == el.Reason.MOVING).all()
    assert pulse.iloc[300] == el.Reason.SENTINEL
    assert pulse.iloc[301] == el.Reason.RANGE
    assert int((pulse != 0).sum()) == 32
    assert (reasons["stairs"].iloc[100:110] == el.Reason.UNWORN).all()
    masked = el.mask(frame, reasons)
    assert masked["pulse"].isna().sum() == 32
    assert masked["stairs"].isna().sum() == 10
    assert not masked["stored"].any()
    assert el.explain(reasons)["n"].sum() > 0


def test_it_is_resampled_by_the_rules_of_its_fields() -> None:
    frame = seconds()
    bins = el.resample(frame, "1min")
    clean = el.mask(frame, el.flag(frame))
    assert bins["pulse"].iloc[0] == pytest.approx(clean["pulse"].iloc[:60].mean())
    assert bins["stairs"].sum() == 20
    assert bins["n"].tolist() == [60, 60, 60, 60, 60, 60, 40, 50, 60, 60]
    assert bins["coverage"].iloc[7] == pytest.approx(50 / 60)


def test_its_hours_are_counted_and_its_gaps_found() -> None:
    frame = seconds()
    hours = el.coverage(frame).iloc[0]
    assert hours["n"] == 570
    assert hours["recorded_h"] * 3600 == pytest.approx(570)
    assert hours["worn_h"] * 3600 == pytest.approx(560)
    assert hours["valid_h"] * 3600 == pytest.approx(540)
    gaps = el.gaps(frame)
    assert gaps["kind"].tolist() == ["implicit"]
    assert gaps["n_expected"].tolist() == [30]
    assert (el.states(frame) == "not worn").sum() == 10


def test_it_is_kept_in_an_archive(tmp_path: Path, csv: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(TRIAL.name, el.read(csv), account="anna")
    back = archive.read(TRIAL.name, account="anna", tz="UTC")
    pd.testing.assert_frame_equal(back, seconds(), check_freq=False)
    assert archive.verify().empty
    assert archive.inventory()["log"].unique().tolist() == [TRIAL.name]
    assert archive.accounts() == ["anna"]


def test_it_is_drawn_along_time() -> None:
    panels = el.plot_timeline(seconds())
    assert [ax.get_title(loc="left") for ax in panels] == [
        "Pulse (bpm)",
        "Stairs per 1 s",
        "Off the head",
    ]
    assert np.isfinite(panels[0].get_lines()[0].get_ydata()).any()


def test_what_its_fields_cannot_give_is_refused_by_the_name_of_the_log() -> None:
    with pytest.raises(el.ConfigurationError, match="'trial_log' gives no blink rate: pass"):
        el.blinks.rate(seconds())
