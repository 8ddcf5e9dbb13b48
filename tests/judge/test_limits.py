"""Every limit stands once, with its source, and the public defaults are those of the table."""

import dataclasses
import inspect
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.catalogue import role_field
from eyelog.judge import reasons, records
from eyelog.judge.limits import Limit, limit, limits
from support.frames import EYES, MINUTES, frame_of
from support.logs import LOGS

ROWS = [
    pytest.param(log, row, id=f"{log}.{row.name}") for log in LOGS for row in limits(log).values()
]
each_row = pytest.mark.parametrize(("log", "row"), ROWS)


@each_row
def test_a_limit_states_its_source_its_unit_and_the_field_it_is_about(log: str, row: Limit) -> None:
    assert row.source == "eyelog" or row.source.startswith("vendor documentation")
    assert row.note.strip()
    assert row.unit.strip()
    assert list(row.values) == sorted(row.values)
    assert row.log in ("", log)
    if row.role and row.role != "score":  # all scores share one limit
        assert role_field(log, row.role)


@each_row
def test_a_limit_has_a_label_that_says_of_what_and_a_value_with_its_unit(
    log: str, row: Limit
) -> None:
    assert row.label[:1].isupper() or row.label[:1].isdigit()
    assert not any(word in row.value_text.lower() for word in ("true", "false", "bool"))
    assert row.value_text not in row.label
    if row.comparison == "edges":  # said by their size alone
        assert [-value for value in row.values[::-1]] == list(row.values)
    if row.unit in ("deg", "ms", "uV-equiv"):
        assert row.value_text.endswith(f" {row.unit}")


def test_the_value_of_a_limit_is_said_as_people_write_it() -> None:
    fifteen, single = limits("computed_data"), limits("current_data")
    assert fifteen["worn"].value_text == "not set"
    assert fifteen["valid"].value_text == "set"
    assert single["walking"].value_text == "set"
    assert fifteen["time_on_task"].value_text == "at least 2 h"
    assert fifteen["blink_exposure"].at(90.0).value_text == "at least 90 s"
    assert fifteen["night"].value_text == "0 to 6 o'clock"
    assert fifteen["tilt_sideways"].value_text == "-45 to 45 deg"
    assert fifteen["tilt_fore_aft_for_pace"].value_text == "-45 to below 45 deg"
    assert fifteen["walking"].value_text == "more than 0"
    assert fifteen["tilt_zones"].value_text == "0, ±15, ±30, ±45 deg"
    assert fifteen["own_tilt_zones"].value_text == "±5, ±15, ±30 deg"
    assert single["packets_of_interval"].value_text == "at least 90 %"


@pytest.mark.parametrize("log", LOGS)
def test_a_limit_of_one_log_does_not_stand_beside_one_of_both(log: str) -> None:
    shared = {row.name for row in limits(log).values() if not row.log}
    assert all(
        not row.log for other in LOGS for row in limits(other).values() if row.name in shared
    )


@pytest.mark.parametrize(
    ("comparison", "values", "kept", "broken"),
    [
        ("x >= a", (20.0,), [20, 21], [19]),
        ("x <= a", (3.0,), [2, 3], [4]),
        ("x > a", (0.0,), [1], [0, -1]),
        ("a <= x <= b", (-45.0, 90.0), [-45, 90], [-46, 91]),
        ("a <= x < b", (-45.0, 45.0), [-45, 44], [45, -46]),
    ],
)
def test_a_limit_is_kept_or_broken_as_its_comparison_says(
    comparison: str, values: tuple[float, ...], kept: list[float], broken: list[float]
) -> None:
    row = Limit("test", "", "", comparison, values, "", "", "", "")
    assert row.keeps(np.array(kept, dtype=float)).all()
    assert row.breaks(np.array(broken, dtype=float)).all()


@given(st.lists(st.floats(allow_nan=True)))
def test_a_number_keeps_or_breaks_each_limit_and_a_missing_value_does_neither(
    numbers: list[float],
) -> None:
    values = np.array(numbers, dtype=float)
    for log in LOGS:
        for row in limits(log).values():
            if row.comparison == "edges":
                continue
            assert (row.keeps(values) ^ row.breaks(values)).tolist() == (~np.isnan(values)).tolist()


def test_a_limit_can_be_moved_and_keeps_its_words() -> None:
    row = limit(MINUTES, "worn")
    assert (row.value, row.text("wear")) == (20.0, "worn at least 20 s")
    assert row.at(30).text("wear") == "worn at least 30 s"
    assert limit(EYES, "worn").text("still") == "still false"


def test_the_limits_of_no_log_are_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="unknown log 'x'"):
        limits("x")
    with pytest.raises(KeyError):
        limit(MINUTES, "valid")


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("min_worn", "worn"),
        ("min_worn_for_steps", "worn_for_steps"),
        ("min_walked_for_pace", "walked_for_pace"),
        ("min_valid", "blink_exposure"),
        ("min_run", "lasting_wear"),
        ("min_day", "counted_day"),
        ("walking_above", "walking"),
        ("tilt_sideways_deg", "tilt_sideways"),
        ("tilt_fore_aft_deg", "tilt_fore_aft"),
    ],
)
def test_a_public_default_is_the_limit_of_the_table(argument: str, name: str) -> None:
    row, default = limit(MINUTES, name), getattr(el.Limits(), argument)
    if isinstance(default, str):
        unit = {"s": 1.0, "h": 3600.0}[row.unit]
        assert el.Limits().seconds(argument) == row.value * unit
    else:
        assert default == (row.values if len(row.values) > 1 else row.value)


@pytest.mark.parametrize("log", LOGS)
def test_the_default_limits_are_the_table_itself(log: str) -> None:
    assert dict(el.Limits().of(log)) == dict(limits(log))


def test_own_limits_move_their_rows_and_leave_the_others() -> None:
    own = el.Limits(max_noise="1s", min_day="90min", tilt_fore_aft_deg=(-90, 90)).of(MINUTES)
    assert own["noise"].text("noise") == "noise at most 1 s"
    assert own["counted_day"].value == 1.5
    assert own["tilt_fore_aft"].values == (-90, 90)
    assert own["tilt_fore_aft_for_pace"] == limit(MINUTES, "tilt_fore_aft_for_pace")
    moved = {name for name, row in own.items() if row != limit(MINUTES, name)}
    assert moved == {"noise", "counted_day", "tilt_fore_aft"}


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
        ({"max_noise": "-1s"}, "max_noise"),
        ({"walking_above": -1}, "walking_above must be a number of at least 0, not -1"),
        ({"tilt_sideways_deg": 45}, r"tilt_sideways_deg must be \(low, high\) in degrees, not 45"),
        ({"tilt_fore_aft_deg": (90, -45)}, "tilt_fore_aft_deg must be"),
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
        (reasons, "``wea_s`` < {worn:g} s"),
        (reasons, "``nis_time`` > {fifteen_noise:g} s ``nis_s`` > {noise:g} s"),
        (reasons, "``stp`` > {walking:g} ``stp_s`` > {walking:g}"),
        (records, "``wea_s`` at least {worn:g} s"),
        (records, "``nis_s`` at most {noise:g} s"),
        (el.daily, "values of at least {high_score:g}"),
        (el.Limits, "The documented {worn:g} s are for long trends"),
        (el.Limits, "Default: {fifteen_noise:g} s of 15, {noise:g} s of 60."),
        (records, "sideways -45 to 45, fore-aft -45 to 90 degrees"),
        (el.posture.zones, "Default: -45 to 45 in steps of 15"),
        (el.posture.zones, "-30, -15, -5, 5, 15, 30"),
    ],
)
def test_the_docstrings_state_the_values_of_the_table(documented: Any, sentence: str) -> None:
    values = {row.name: row.values[0] for row in limits(MINUTES).values()}
    values["high_score"] = limit(EYES, "high_score").value
    values["fifteen_noise"] = limit(EYES, "noise").value
    assert sentence.format(**values) in " ".join((inspect.getdoc(documented) or "").split())


def test_the_zones_in_the_docstring_are_those_of_the_table() -> None:
    assert limit(EYES, "tilt_zones").values == tuple(range(-45, 46, 15))
    assert limit(EYES, "own_tilt_zones").values == (-30, -15, -5, 5, 15, 30)
    assert limit(EYES, "tilt_sideways").values == (-45, 45)
    assert limit(EYES, "tilt_fore_aft").values == (-45, 90)


NOISY = el.Limits(max_noise="1s")


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("limits", [NOISY, el.Limits(walking_above=5)])
def test_hours_and_values_of_a_masked_frame_follow_the_limits_it_was_masked_with(
    log: str, limits: el.Limits
) -> None:
    frame = el.sample(log)
    masked = el.mask(frame, el.flag(frame, limits=limits))
    days, usual = el.daily(masked, limits=limits), el.daily(frame)
    pd.testing.assert_frame_equal(days, el.daily(frame, limits=limits), rtol=1e-12)
    bins = el.intervals(frame, "10min", limits=limits)
    hours = ["valid_h", "worn_h", "walking_h", "blink_exposure_min"]
    pd.testing.assert_frame_equal(
        el.daily(bins, limits=limits)[hours], days[hours], rtol=1e-9, check_freq=False
    )
    assert days["valid_h"].sum() != usual["valid_h"].sum()
    assert days["blink_exposure_min"].sum() != usual["blink_exposure_min"].sum()


@pytest.mark.parametrize("log", LOGS)
def test_a_frame_that_was_masked_with_blinks_as_wear_keeps_their_hours(log: str) -> None:
    frame, limits = el.sample(log), el.Limits(wear="blinks")
    masked = el.mask(frame, el.flag(frame, limits=limits))
    days = el.daily(frame, limits=limits)
    hours = ["worn_h", "valid_h", "walking_h", "blink_exposure_min"]
    for made in (masked, el.intervals(frame, "10min", limits=limits)):
        found = el.daily(made, limits=limits)
        pd.testing.assert_frame_equal(found[hours], days[hours], check_freq=False)
    pd.testing.assert_series_equal(
        el.states(masked, limits=limits), el.states(frame, limits=limits)
    )


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


@pytest.mark.parametrize("name", REFUSING)
def test_a_frame_masked_with_other_limits_is_refused_with_the_argument_to_pass(name: str) -> None:
    frame = el.sample()
    masked = el.mask(frame, el.flag(frame, limits=NOISY))
    message = r"masked with other limits: pass limits=eyelog.Limits\(max_noise='1s'\)"
    with pytest.raises(el.ConfigurationError, match=message):
        REFUSING[name](masked)


def test_bins_made_with_other_limits_are_refused_too_and_limits_of_summaries_may_differ() -> None:
    frame = el.sample()
    bins = el.intervals(frame, "10min", limits=NOISY)
    with pytest.raises(el.ConfigurationError, match="with other limits: pass limits="):
        el.daily(bins)
    # What is asked of a day or of a rate decides nothing about single values.
    usual = el.intervals(frame, "10min")
    assert len(el.daily(usual, limits=el.Limits(min_run="1min", min_valid="0s"))) == 7


@pytest.mark.parametrize("log", LOGS)
def test_the_limits_of_tilt_move_the_worn_hours(log: str) -> None:
    tilt = {"tl_yav": [10, -60, 100, 10], "tl_xav": [0, 0, 0, 50]}
    frame = frame_of(log, tilt)
    share = 3600 / (15 if log == EYES else 60)
    wide = el.Limits(tilt_fore_aft_deg=(-90, 120), tilt_sideways_deg=(-60, 60))
    upward = el.Limits(tilt_fore_aft_deg=(-90, 90))
    for own, rows in ((el.Limits(), 1), (upward, 2), (wide, 4)):
        masked = el.mask(frame, el.flag(frame, limits=own))
        for each in (frame, masked):
            for ask in (el.daily, el.coverage):
                worn = ask(each, limits=own)["worn_h"].item()
                assert worn == pytest.approx(rows / share), (own, ask)
        assert (~masked["stored"]).sum() == rows


def test_limits_of_any_type_are_kept_with_the_frame_and_those_of_a_day_may_differ() -> None:
    frame = el.sample()
    own = el.Limits(min_day=pd.Timedelta("6h"), walking_above=np.int64(0))  # type: ignore[arg-type]
    masked = el.mask(frame, el.flag(frame, limits=own))
    usual = el.mask(frame, el.flag(frame))
    half = len(frame) // 2
    both = pd.concat([masked.iloc[:half], usual.iloc[half:]])
    pd.testing.assert_frame_equal(el.daily(both), el.daily(usual))
    assert "limits" not in el.intervals(frame, "1h")
    with pytest.raises(el.ConfigurationError, match="made into Intervals with other limits"):
        el.daily(el.intervals(frame, "1h"), limits=NOISY)
