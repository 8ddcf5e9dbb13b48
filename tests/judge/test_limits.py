"""Limits: each with its source, said as people say it, and kept with what was judged by them."""

import dataclasses
import inspect
import json
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of
from support.logs import LOGS
from support.reasons import judged


def test_limits_are_written_as_they_are_typed_and_stay_as_they_are() -> None:
    assert repr(el.Limits()) == "Limits()"
    own = el.Limits(max_noise="1s", tilt_sideways_deg=[-30, 30], wear="blinks")  # type: ignore[arg-type]
    assert repr(own) == "Limits(max_noise='1s', tilt_sideways_deg=(-30.0, 30.0), wear='blinks')"
    assert eval(repr(own), {"Limits": el.Limits}) == own
    assert hash(own) == hash(el.Limits(**own.details()))
    with pytest.raises(dataclasses.FrozenInstanceError):
        own.max_noise = "2s"  # type: ignore[misc]
    with pytest.raises(TypeError, match="positional"):
        el.Limits("20s")  # type: ignore[misc]


def test_the_history_of_limits_is_json_and_makes_the_same_limits() -> None:
    assert el.Limits().details() == {}
    own = el.Limits(min_run="2min", walking_above=3, tilt_fore_aft_deg=(-90, 90))
    stored = json.loads(json.dumps(own.details()))
    assert stored == {"walking_above": 3, "tilt_fore_aft_deg": [-90, 90], "min_run": "2min"}
    assert el.Limits(**stored) == own


def test_the_limits_are_printed_as_a_table_with_the_source_of_each() -> None:
    table = el.Limits(max_noise="1s").table()
    assert list(table) == ["log", "value", "default", "source"]
    assert set(table.index) == {field.name for field in dataclasses.fields(el.Limits)}
    assert set(table.dtypes.astype(str)) == {"string"}
    noise = table.loc["max_noise"].set_index("log")
    assert noise["value"].tolist() == ["1s", "1s"]
    assert noise["default"].to_dict() == {EYES: "3s", MINUTES: "10s"}
    assert noise["source"].str.startswith("vendor documentation").all()
    assert table.loc["tilt_fore_aft_deg", "value"] == "-45 to 90"
    assert table.loc["min_day", "source"] == "eyelog"
    assert str(el.Limits()).splitlines()[1:] == el.Limits().table().to_string().splitlines()[1:]
    assert "<table" in el.Limits()._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_worn": 20}, "min_worn must be a duration.*such as '20s', not 20"),
        ({"min_run": "soon"}, "min_run must be a duration.*such as '5min', not 'soon'"),
        ({"min_run": "-1min"}, "min_run"),
        ({"min_worn": "-1s"}, "min_worn"),
        ({"max_noise": "-1s"}, "max_noise"),
        ({"max_noise": 1}, "max_noise"),
        ({"noise_after": "much"}, "noise_after"),
        ({"walking_above": -1}, "walking_above must be a number of at least 0, not -1"),
        ({"walking_above": float("inf")}, "walking_above"),
        ({"walking_above": True}, "walking_above"),
        ({"tilt_sideways_deg": 45}, r"tilt_sideways_deg must be \(low, high\) in degrees, not 45"),
        ({"tilt_fore_aft_deg": (90, -45)}, "tilt_fore_aft_deg must be"),
        ({"tilt_fore_aft_deg": (1, 2, 3)}, "tilt_fore_aft_deg must be"),
        ({"wear": "both"}, "wear must be 'device' or 'blinks', not 'both'"),
    ],
)
def test_a_limit_that_cannot_be_used_is_one_clear_line(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.Limits(**arguments)


@pytest.mark.parametrize(
    ("documented", "sentence"),
    [
        (el.daily, "values of at least 60"),
        (el.Limits, "The documented 20 s are for long trends"),
        (el.Limits, "Default: 3 s of 15, 10 s of 60."),
        (el.posture.zones, "Default: -45 to 45 in steps of 15"),
        (el.posture.zones, "-30, -15, -5, 5, 15, 30"),
    ],
)
def test_the_docstrings_state_the_values_of_the_table(documented: Any, sentence: str) -> None:
    assert sentence in " ".join((inspect.getdoc(documented) or "").split())
    default = el.Limits().table()["default"]
    assert default["min_worn"] == "20s"
    assert default["max_noise"].tolist() == ["3s", "10s"]


NOISY = el.Limits(max_noise="1s")


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("limits", [NOISY, el.Limits(walking_above=5), el.Limits(wear="blinks")])
def test_hours_and_values_of_what_was_judged_follow_the_limits_by_which_it_was(
    log: str, limits: el.Limits
) -> None:
    frame = el.sample(log).iloc[:6000]
    masked, bins = judged(frame, limits=limits), el.intervals(frame, "10min", limits=limits)
    days, usual = el.daily(frame, limits=limits), el.daily(frame)
    pd.testing.assert_frame_equal(el.daily(masked, limits=limits), days, rtol=1e-12)
    hours = ["valid_h", "worn_h", "walking_h", "blink_exposure_min"]
    of_bins = el.daily(bins, limits=limits)[hours]
    pd.testing.assert_frame_equal(of_bins, days[hours], rtol=1e-9, check_freq=False)
    states = (el.states(f, limits=limits) for f in (masked, frame))
    pd.testing.assert_series_equal(*states)
    assert days["valid_h"].sum() != usual["valid_h"].sum()


REFUSING: dict[str, Any] = {
    "flag": el.flag,
    "daily": el.daily,
    "weekly": el.weekly,
    "coverage": el.coverage,
    "resample": lambda f: el.resample(f, "10min"),
    "states": el.states,
    "blinks.rate": el.blinks.rate,
    "gait.pace": el.gait.pace,
    "posture.head_movements": el.posture.head_movements,
    "attrition": lambda f: el.attrition(f, recipe="mind"),
}


def test_what_was_judged_by_other_limits_is_refused_with_the_argument_to_pass() -> None:
    frame = el.sample().iloc[:3000]
    masked = judged(frame, limits=NOISY)
    message = r"masked with other limits: pass limits=eyelog.Limits\(max_noise='1s'\)"
    for ask in REFUSING.values():
        with pytest.raises(el.ConfigurationError, match=message):
            ask(masked)
    for bins, limits in (
        (el.intervals(frame, "10min", limits=NOISY), None),
        (el.intervals(frame, "10min"), NOISY),
    ):
        with pytest.raises(el.ConfigurationError, match="made into Intervals with other limits"):
            el.daily(bins, limits=limits)


def test_limits_of_any_type_are_kept_with_the_frame_and_those_of_a_day_may_differ() -> None:
    frame = el.sample()
    own = el.Limits(min_day=pd.Timedelta("6h"), walking_above=np.int64(0))  # type: ignore[arg-type]
    masked, usual = judged(frame, limits=own), judged(frame)
    half = len(frame) // 2
    both = pd.concat([masked.iloc[:half], usual.iloc[half:]])
    pd.testing.assert_frame_equal(el.daily(both), el.daily(usual))
    bins = el.intervals(frame, "1h")
    assert "limits" not in bins
    # What is asked of a day or of a rate decides nothing about single values.
    assert len(el.daily(bins, limits=el.Limits(min_run="1min", min_valid="0s"))) == 7


@pytest.mark.parametrize("log", LOGS)
def test_the_limits_of_tilt_move_the_worn_hours(log: str) -> None:
    tilt = {"tl_yav": [10, -60, 100, 10], "tl_xav": [0, 0, 0, 50]}
    frame = frame_of(log, tilt)
    share = 3600 / (15 if log == EYES else 60)
    wide = el.Limits(tilt_fore_aft_deg=(-90, 120), tilt_sideways_deg=(-60, 60))
    upward = el.Limits(tilt_fore_aft_deg=(-90, 90))
    for own, rows in ((el.Limits(), 1), (upward, 2), (wide, 4)):
        masked = judged(frame, limits=own)
        for each in (frame, masked):
            for ask in (el.daily, el.coverage):
                worn = ask(each, limits=own)["worn_h"].item()
                assert worn == pytest.approx(rows / share), (own, ask)
        assert (~masked["stored"]).sum() == rows


def test_every_row_of_the_table_states_its_source_its_unit_and_what_it_is() -> None:
    table = pd.read_csv(files("eyelog.judge") / "limits.csv", keep_default_na=False)
    assert table["source"].ne("").all()
    assert table["unit"].ne("").all()
    assert table["note"].str.strip().ne("").all()
    assert table["label"].str.match("[A-Z0-9]").all()
    values = table["value"].str.split().map(lambda each: [float(value) for value in each])
    assert values.map(sorted).tolist() == values.tolist()
    shared = table.loc[table["log"] == "", "name"]
    assert not table.loc[table["log"] != "", "name"].isin(shared).any()
