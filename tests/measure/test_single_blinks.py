"""Single blinks: what was planted is found, and an interval never spans what was not seen."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.packets import CURRENT, flagged_at, packets


def with_blinks(n: int, *rows: int, strength: float = 80, speed: float = 120, **more: Any) -> Any:
    """Return packets with blinks in some rows and in no other."""
    there = flagged_at(n, *rows)
    columns = {"blinkStrength": there * strength, "blinkSpeed": there * speed, **more}
    return packets(n, columns, jitter_us=0)


def test_planted_blinks_are_found_with_their_intervals() -> None:
    frame = with_blinks(400, 20, 110, 310)
    found = el.blinks.events(frame)
    assert found.index.equals(frame.index[[20, 110, 310]])
    assert found["strength"].tolist() == [80.0] * 3
    assert found["closed_ms"].tolist() == [120.0] * 3
    assert found["counted"].all()
    np.testing.assert_allclose(found["interval_s"], [np.nan, 4.5, 10.0])
    assert found["between"].tolist() == ["no blink before", "", ""]


@pytest.mark.parametrize(
    ("column", "row", "why"),
    [
        ("noiseStatus", 60, "noisy"),
        ("walking", 60, "walking"),
        ("fitError", 150, "not worn"),
        ("", 60, "packets lost"),
    ],
)
def test_an_interval_in_which_a_blink_may_be_missed_is_missing(
    column: str, row: int, why: str
) -> None:
    flags = {column: flagged_at(800, row)} if column else {}
    frame = with_blinks(800, 20, 290, 600, **flags)
    found = el.blinks.events(frame if column else frame.drop(frame.index[[row, row + 1]]))
    assert found["counted"].all()
    assert found["interval_s"].isna().tolist() == [True, True, False]
    assert found["between"].tolist() == ["no blink before", why, ""]


def test_no_interval_spans_two_connections() -> None:
    one = with_blinks(400, 20, 390)
    other = with_blinks(400, 20, 300).set_axis(one.index + pd.Timedelta("10min"))
    found = el.blinks.events(pd.concat([one, other]))
    assert found["between"].tolist() == ["no blink before", "", "a new connection", ""]
    assert found["interval_s"].isna().tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    ("strength", "speed", "counts"),
    [(35, 90, True), (250, 250, True), (34, 120, False), (251, 120, False), (80, 89, False),
     (80, 251, False), (80, 0, False)],
)  # fmt: skip
def test_blinks_count_by_the_limits_of_the_15_second_log(strength, speed, counts) -> None:
    found = el.blinks.events(with_blinks(100, 50, strength=strength, speed=speed))
    assert found["counted"].tolist() == [counts]
    assert (found["reason"] == "").tolist() == [counts]


def test_blinks_that_do_not_count_say_why_and_break_no_interval() -> None:
    strength = np.zeros(400)
    strength[[20, 60, 110]] = 80, 20, 80
    frame = packets(
        400, {"blinkStrength": strength, "blinkSpeed": (strength > 0) * 120}, jitter_us=0
    )
    found = el.blinks.events(frame)
    assert found["reason"].tolist() == ["", "not strength 35 to 250", ""]
    np.testing.assert_allclose(found["interval_s"], [np.nan, np.nan, 4.5])


def up_near(
    raised: list[pd.Timestamp], stamp: pd.Timestamp, later_s: float, earlier_s: float
) -> bool:
    """Return whether a flag is up from `earlier_s` before a stamp to `later_s` after it."""
    return any(-earlier_s <= (other - stamp).total_seconds() <= later_s for other in raised)


def by_hand(frame: pd.DataFrame) -> list[tuple[pd.Timestamp, float]]:
    """Return the counted blinks and their intervals, row by row."""
    found: list[tuple[pd.Timestamp, float]] = []
    last: pd.Timestamp | None = None
    stamps = list(frame.index)
    broken = False
    raised = {
        name: [stamp for stamp in stamps if frame[name][stamp] > 0]
        for name in ("fitError", "noiseStatus", "walking")
    }
    off = {stamp for stamp in stamps if up_near(raised["fitError"], stamp, 5, 0)}
    raised["walking"] = [stamp for stamp in raised["walking"] if stamp not in off]
    for i, (stamp, row) in enumerate(zip(stamps, frame.to_dict("records"), strict=True)):
        bad = (
            up_near(raised["fitError"], stamp, 5, 0)
            or up_near(raised["noiseStatus"], stamp, 0, 1)
            or up_near(raised["walking"], stamp, 0.25, 1)
        )
        if i:
            leap = (row["sequenceNumber"] - frame["sequenceNumber"].iloc[i - 1]) % 256
            broken |= leap != 1
        broken |= bad
        counts = 35 <= row["blinkStrength"] <= 250 and 90 <= row["blinkSpeed"] <= 250
        if counts and not bad:
            seen = last is not None and not broken
            found.append((stamp, (stamp - last).total_seconds() if seen and last else np.nan))
            last, broken = stamp, False
    return found


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), flags=st.integers(0, 2), gone=st.integers(0, 6))
def test_blinks_are_those_of_a_walk_from_row_to_row(seed: int, flags: int, gone: int) -> None:
    draws = np.random.default_rng(seed)
    n = 700
    columns = {
        name: flagged_at(n, *draws.integers(0, n, flags))
        for name in ("noiseStatus", "walking", "fitError")
    }
    there = draws.random(n) < 0.1
    columns["blinkSpeed"] = there * draws.integers(60, 300, n)
    columns["blinkStrength"] = there * draws.integers(20, 300, n)
    frame = packets(n, columns, seed=seed)
    frame = frame.drop(frame.index[np.unique(draws.integers(1, n, gone))])
    found = el.blinks.events(frame)
    counted = found[found["counted"]]
    hand = by_hand(frame)
    assert counted.index.tolist() == [stamp for stamp, _ in hand]
    np.testing.assert_allclose(counted["interval_s"], [seconds for _, seconds in hand])


def test_the_rate_is_the_counted_blinks_over_the_usable_time() -> None:
    frame = packets(24_000, {"noiseStatus": flagged_at(24_000, *range(3000, 3200))}, seed=4)
    rate = el.blinks.rate(frame).loc["all"]
    found = el.blinks.events(frame)
    usable_s = (el.states(frame) == "usable").sum() * 0.05
    assert rate["n"] == found["counted"].sum()
    assert rate["exposure_min"] == pytest.approx(usable_s / 60)
    assert rate["rate_per_min"] == pytest.approx(60 * found["counted"].sum() / usable_s)
    assert rate["low"] < rate["rate_per_min"] < rate["high"]


def test_the_rate_of_the_wearer_takes_days_as_the_units() -> None:
    days = [packets(6000, seed=day, start=f"2026-10-{20 + day}T10:00:00Z") for day in range(5)]
    row = el.blinks.rate(pd.concat(days), of="wearer").loc["all"]
    assert (row["of"], row["days"]) == ("wearer", 5)


def test_masking_changes_neither_rate_nor_intervals() -> None:
    frame = packets(12_000, {"noiseStatus": flagged_at(12_000, 5000, 9000)}, seed=5)
    masked = el.mask(frame, el.flag(frame))
    pd.testing.assert_frame_equal(el.blinks.rate(masked), el.blinks.rate(frame))
    whole, left = el.blinks.events(frame), el.blinks.events(masked)
    counted = whole[whole["counted"]]
    pd.testing.assert_series_equal(left["interval_s"], counted["interval_s"])


def test_a_day_has_the_intervals_and_the_long_blinks_of_its_single_blinks() -> None:
    there = flagged_at(24_000, *range(100, 23_000, 97))
    speed = np.where(there, np.where(np.arange(24_000) % 5 == 0, 350, 140), 0)
    frame = packets(24_000, {"blinkStrength": there * 90.0, "blinkSpeed": speed})
    day = el.daily(frame).iloc[0]
    found = el.blinks.events(frame)
    interval = found.loc[found["counted"], "interval_s"]
    assert day["blink_interval_sd_s"] == pytest.approx(interval.std())
    assert day["blink_interval_max_s"] == pytest.approx(interval.max())
    assert day["long_blink_share"] == pytest.approx((found["closed_ms"] > 300).mean())
    assert day["blink_strength_uv"] == pytest.approx(90)
    assert day["blink_duration_ms"] == pytest.approx(140)
    assert day["blink_n"] == found["counted"].sum()


@pytest.mark.parametrize("summary", ["daily", "blinks"])
def test_the_fields_that_a_summary_needs_are_enough(summary: str) -> None:
    frame = packets(12_000, {"noiseStatus": flagged_at(12_000, 5000)}, seed=7)
    frame = frame.drop(frame.index[[300, 301, 9000]])
    fields = list(el.fields(CURRENT, of=summary).index)
    function = el.daily if summary == "daily" else el.blinks.events
    pd.testing.assert_frame_equal(function(frame[fields]), function(frame))


def test_intervals_of_the_20_hz_log_keep_its_rate() -> None:
    frame = packets(24_000, seed=6)
    bins = el.intervals(frame, "1min")
    assert bins["blink_n"].sum() == el.blinks.rate(frame)["n"].iloc[0]
    pd.testing.assert_frame_equal(
        el.blinks.rate(bins, by="1D")[["rate_per_min", "n"]],
        el.blinks.rate(frame, by="1D")[["rate_per_min", "n"]],
    )
