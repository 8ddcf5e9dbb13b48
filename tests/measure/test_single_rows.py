"""Tables of single events: what opens them, and what happens when they are given back."""

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


@pytest.mark.parametrize(
    "function",
    [el.eyes.moves, el.gait.steps, el.posture.turns, el.posture.angles, el.posture.tilt,
     el.recompute],
)  # fmt: skip
def test_bins_have_no_single_events(function):
    with pytest.raises(el.ConfigurationError, match="needs single records"):
        function(el.intervals(packets(2400), "1min"))


@pytest.mark.parametrize(
    ("function", "instead"),
    [
        (el.blinks.events, "holds counts and averages, so pass it to blinks.rate"),
        (el.eyes.moves, "counts eye movements"),
        (el.gait.steps, "counts steps, so pass it to gait.pace"),
        (el.posture.turns, "counts head movements, so pass it to posture.head_movements"),
        (el.posture.angles, "holds"),
        (el.posture.tilt, "holds averages of the tilt, so pass it to posture.spread"),
        (el.recompute, "holds intervals"),
    ],
)
def test_a_log_of_averages_is_refused_with_what_takes_it(function, instead):
    with pytest.raises(el.ConfigurationError, match=f"needs the 20 Hz log: .* log {instead}"):
        function(el.sample())


@pytest.mark.parametrize("function", [el.flag, el.blinks.events, el.eyes.moves])
def test_without_evidence_nothing_is_judged_in_silence(function):
    with pytest.warns(el.EyelogWarning, match="NOISY .*noiseStatus"):
        assert len(function(packets(1200).drop(columns="noiseStatus")))
