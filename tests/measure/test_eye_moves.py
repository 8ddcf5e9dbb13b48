"""Single eye movements of the 20 Hz log: each is listed, and says why it does not count."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.packets import flagged_at, packets

N = 1200
QUIET = ("eyeMoveUp", "eyeMoveDown", "eyeMoveLeft", "eyeMoveRight", "blinkStrength", "blinkSpeed")


def moved(**more) -> pd.DataFrame:
    """Return packets without eye movements and blinks but those given."""
    return packets(N, {name: np.zeros(N) for name in QUIET} | more, jitter_us=0)


def test_each_movement_is_a_row_with_direction_and_size():
    frame = moved(
        eyeMoveLeft=flagged_at(N, 100) * 2.0,
        eyeMoveRight=flagged_at(N, 300) * 7.0,
        eyeMoveUp=flagged_at(N, 300, 500) * 1.0,
        eyeMoveDown=flagged_at(N, 700) * 4.0,
    )
    found = el.eyes.moves(frame)
    assert found["direction"].tolist() == ["left", "up", "right", "up", "down"]
    assert found["size"].tolist() == [2.0, 1.0, 7.0, 1.0, 4.0]
    assert found.index.equals(frame.index[[100, 300, 300, 500, 700]])
    assert found["counted"].all()


def test_vertical_movements_within_half_a_second_of_a_blink_do_not_count():
    frame = moved(
        blinkStrength=flagged_at(N, 200) * 80.0,
        blinkSpeed=flagged_at(N, 200) * 120.0,
        eyeMoveUp=flagged_at(N, 189, 190) * 1.0,
        eyeMoveDown=flagged_at(N, 210, 211) * 1.0,
        eyeMoveLeft=flagged_at(N, 200) * 1.0,
    )
    found = el.eyes.moves(frame)
    assert found["reason"].tolist() == ["", "near a blink", "", "near a blink", ""]


@pytest.mark.parametrize(
    ("column", "why"), [("noiseStatus", "noisy"), ("walking", "walking"), ("fitError", "not worn")]
)
def test_movements_in_time_that_is_not_usable_say_why(column, why):
    frame = moved(eyeMoveLeft=flagged_at(N, 600) * 1.0, **{column: flagged_at(N, 600)})
    found = el.eyes.moves(frame.astype({"fitError": "float64"}))
    assert found["reason"].tolist() == [why]
    assert found["counted"].tolist() == [False]


def test_sizes_out_of_range_are_no_movements():
    assert el.eyes.moves(moved(eyeMoveLeft=flagged_at(N, 600) * 9.0)).empty


def test_masking_changes_no_movement_of_a_day():
    draws = np.random.default_rng(5)
    n = 12_000
    frame = packets(
        n,
        {
            "eyeMoveUp": (draws.random(n) < 0.05) * 1.0,
            "blinkStrength": (draws.random(n) < 0.02) * 80.0,
            "blinkSpeed": np.full(n, 120.0),
            "noiseStatus": np.repeat(draws.random(300) < 0.2, 40),
        },
    )
    frame["blinkSpeed"] = frame["blinkSpeed"].where(frame["blinkStrength"] > 0, 0.0)
    masked = el.mask(frame, el.flag(frame))
    pd.testing.assert_frame_equal(el.daily(masked), el.daily(frame))
