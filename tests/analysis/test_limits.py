"""Every limit stands once, with its source, and the public defaults are those of the table."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.analysis.limits import Limit, limit, limits
from eyelog.analysis.quality import evidence, reasons
from eyelog.analysis.series.durations import duration_us
from eyelog.catalogue import LOGS, role_field
from eyelog.errors import ConfigurationError
from support.frames import EYES, MINUTES

ROWS = [
    pytest.param(log, row, id=f"{log}.{row.name}") for log in LOGS for row in limits(log).values()
]
each_row = pytest.mark.parametrize(("log", "row"), ROWS)


def default(function: Callable[..., Any], name: str) -> Any:
    return inspect.signature(function).parameters[name].default


@each_row
def test_a_limit_states_its_source_its_unit_and_the_field_it_is_about(log: str, row: Limit) -> None:
    assert row.source == "eyelog" or row.source.startswith("vendor documentation")
    assert row.note.strip()
    assert row.unit.strip()
    assert list(row.values) == sorted(row.values)
    assert row.log in ("", log)
    if row.role and row.role != "score":  # all scores share one limit
        assert role_field(log, row.role)


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
    with pytest.raises(ConfigurationError, match="unknown log 'x'"):
        limits("x")
    with pytest.raises(KeyError):
        limit(MINUTES, "valid")


@pytest.mark.parametrize(
    ("function", "argument", "name"),
    [
        (el.flag, "min_worn_s", "worn"),
        (el.flag, "walking_above", "walking"),
        (el.flag, "tilt_sideways", "tilt_sideways"),
        (el.flag, "tilt_fore_aft", "tilt_fore_aft"),
        (el.gait.pace, "min_walked_s", "walked_for_pace"),
    ],
)
def test_a_public_default_is_the_limit_of_the_table(
    function: Callable[..., Any], argument: str, name: str
) -> None:
    values = limit(MINUTES, name).values
    assert default(function, argument) == (values if len(values) > 1 else values[0])


def test_the_least_exposure_of_a_blink_rate_is_the_limit_of_the_table() -> None:
    for function in (el.blinks.rate, el.blinks.cleansings):
        seconds = duration_us(default(function, "min_valid"), "min_valid") / 1e6
        assert seconds == limit(EYES, "blink_exposure").value


@pytest.mark.parametrize(
    ("documented", "sentence"),
    [
        (reasons, "``wea_s`` < {worn:g} s"),
        (reasons, "``nis_time`` > {fifteen_noise:g} s ``nis_s`` > {noise:g} s"),
        (reasons, "``stp`` > {walking:g} ``stp_s`` > {walking:g}"),
        (evidence, "``wea_s`` at least {worn:g} s"),
        (evidence, "``nis_s`` at most {noise:g} s"),
        (el.daily, "values of at least {high_score:g}"),
        (el.flag, "{worn:g} is documented for long trends"),
        (el.flag, "step counts need {worn_for_steps:g}"),
        (el.flag, "Default: {fifteen_noise:g} of 15 s, {noise:g} of 60 s."),
        (el.flag, "Defaults: -45 to 45 and -45 to 90."),
        (el.gait.pace, "(the vendor's {walked_for_pace:g})"),
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
