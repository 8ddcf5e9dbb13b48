"""Tables of single events: what opens them, and what happens when they are given back."""

import pandas as pd
import pytest

import eyelog as el
from support.packets import packets


@pytest.mark.parametrize(
    "function",
    [el.blinks.events, el.eyes.moves, el.gait.steps, el.posture.turns, el.posture.angles],
)
def test_a_table_of_single_events_is_no_frame_of_records(function):
    table = function(packets(600))
    with pytest.raises(el.ConfigurationError, match=r"this is a table that eyelog\."):
        el.daily(table)


@pytest.mark.parametrize(
    ("function", "lost"),
    [
        (el.blinks.events, "blinkSpeed"),
        (el.eyes.moves, "eyeMoveLeft"),
        (el.gait.steps, "walking"),
        (el.posture.turns, "pitch"),
        (el.posture.angles, "roll"),
        (el.posture.tilt, "accX"),
    ],
)
def test_a_field_that_is_not_there_is_named(function, lost):
    with pytest.raises(el.FieldError, match=f"needs '{lost}'"):
        function(packets(600).drop(columns=lost))


def test_rows_of_two_devices_are_refused():
    one = packets(12_000)
    other = one.set_axis(one.index + pd.Timedelta("13ms"))
    with pytest.raises(el.ConfigurationError, match="overlap"):
        el.gait.steps(pd.concat([one, other]).sort_index())


@pytest.mark.parametrize(
    "function",
    [el.eyes.moves, el.gait.steps, el.posture.turns, el.posture.angles, el.posture.tilt,
     el.recompute],
)  # fmt: skip
def test_bins_have_no_single_events(function):
    with pytest.raises(el.ConfigurationError, match="needs single records"):
        function(el.intervals(packets(2400), "1min"))
