"""Single events of the 20 Hz log: what was planted is found; nothing spans what was not seen."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.laws import examples
from support.packets import CURRENT, flagged_at, packets

N = 4000

# Blinks


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


def up_near(raised: list[int], at: int, later_us: int, earlier_us: int) -> bool:
    """Return whether a flag is up from `earlier_us` before a row to `later_us` after it."""
    return any(-earlier_us <= other - at <= later_us for other in raised)


def blinks_by_hand(frame: pd.DataFrame) -> list[tuple[pd.Timestamp, float]]:
    """Return the counted blinks and their intervals, row by row."""
    found: list[tuple[pd.Timestamp, float]] = []
    last = before = None
    broken = False
    stamps = frame.index.as_unit("us").asi8.tolist()
    raised = {
        name: [at for at, flag in zip(stamps, frame[name], strict=True) if flag > 0]
        for name in ("fitError", "noiseStatus", "walking")
    }
    off = {at for at in stamps if up_near(raised["fitError"], at, 5_000_000, 0)}
    raised["walking"] = [at for at in raised["walking"] if at not in off]
    rows = zip(stamps, frame.index, frame.to_dict("records"), strict=True)
    for at, stamp, row in rows:
        bad = (
            at in off
            or up_near(raised["noiseStatus"], at, 0, 1_000_000)
            or up_near(raised["walking"], at, 250_000, 1_000_000)
        )
        number = row["sequenceNumber"]
        broken |= bad or (before is not None and (number - before) % 256 != 1)
        before = number
        counts = 35 <= row["blinkStrength"] <= 250 and 90 <= row["blinkSpeed"] <= 250
        if counts and not bad:
            seen = last is not None and not broken
            found.append((stamp, (at - last) / 1e6 if seen and last else np.nan))
            last, broken = at, False
    return found


@examples(15)
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
    hand = blinks_by_hand(frame)
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


# Steps


def walked(*rows: int, **more) -> pd.DataFrame:
    return packets(N, {"walking": flagged_at(N, *rows)} | more)


def test_each_flag_is_a_step_and_its_time_is_counted_in_packets():
    found = el.gait.steps(walked(100, 110, 121, 160))
    np.testing.assert_allclose(found["step_time_s"], [np.nan, 0.5, 0.55, np.nan])
    assert found["between"].tolist() == ["no step before", "", "", "a pause"]
    assert found["counted"].all()
    assert found.index.equals(walked().index[[100, 110, 121, 160]])


def test_a_lost_packet_may_have_held_a_step():
    frame = walked(100, 110, 120)
    found = el.gait.steps(frame.drop(frame.index[105]))
    assert found["between"].tolist() == ["no step before", "packets lost", ""]


def test_steps_of_unworn_eyewear_do_not_count_and_break_the_walk():
    found = el.gait.steps(walked(90, 110, 230, fitError=flagged_at(N, 200).astype(float)))
    assert found["reason"].tolist() == ["", "not worn", ""]
    assert found["between"].tolist() == ["no step before", "", "not worn"]


def test_no_step_time_spans_two_connections():
    one = walked(3990)
    other = walked(5).set_axis(one.index + pd.Timedelta("1h"))
    found = el.gait.steps(pd.concat([one, other]))
    assert found["between"].tolist() == ["no step before", "a new connection"]


def test_pace_step_time_and_bouts_are_those_of_the_steps():
    rows = [*range(100, 1400, 10), *range(2600, 3900, 13)]
    frame = walked(*rows)
    found = el.gait.steps(frame)
    seconds = found["step_time_s"].dropna()
    pace = el.gait.pace(frame).loc["all"]
    assert pace["pace_spm"] == pytest.approx(60 / seconds.mean())
    assert pace["n"] == len(seconds)
    time = el.gait.step_time(frame).loc["all"]
    assert time["step_time_ms"] == pytest.approx(1000 * seconds.mean())
    assert time["step_time_sd_between_ms"] == pytest.approx(1000 * seconds.std(ddof=0))
    bouts = el.gait.bouts(frame, max_pause="30s", min_length="30s")
    assert bouts["steps"].tolist() == [130, 100]
    np.testing.assert_allclose(bouts["pace_spm"], [120, 60 / 0.65])
    np.testing.assert_allclose(bouts["duration_min"] * 60, [64.55, 64.4], atol=0.06)
    assert bouts["landing_g"].isna().all()


def test_lost_packets_do_not_end_a_bout():
    frame = walked(*range(100, 1400, 10))
    kept = frame.drop(frame.index[[405, 406, 815]])
    assert len(el.gait.bouts(kept)) == 1


def test_intervals_have_the_pace_of_their_steps():
    frame = walked(*range(100, 1400, 10), *range(2600, 3900, 13))
    bins = el.intervals(frame, "30s")
    assert el.gait.pace(bins)["pace_spm"].iloc[0] == pytest.approx(
        el.gait.pace(frame)["pace_spm"].iloc[0]
    )


def test_the_busiest_minutes_are_those_of_clock_minutes():
    frame = packets(24_000, {"walking": flagged_at(24_000, *range(0, 12_000, 10))}, jitter_us=0)
    assert el.gait.peak_cadence(frame, minutes=5)["peak_spm"].tolist() == [120.0]


def test_classes_of_speed_are_refused_by_name():
    with pytest.raises(el.FieldError, match="the 20 Hz log has no step classes"):
        el.gait.speed_classes(walked(100))


@examples(20)
@given(seed=st.integers(0, 10**6), off=st.integers(0, 2), gone=st.integers(0, 5))
def test_step_times_are_those_of_a_walk_from_row_to_row(seed, off, gone):
    draws = np.random.default_rng(seed)
    n = 500
    columns = {
        "walking": draws.random(n) < 0.08,
        "fitError": flagged_at(n, *draws.integers(0, n, off)).astype(float),
    }
    frame = packets(n, columns, seed=seed)
    frame = frame.drop(frame.index[np.unique(draws.integers(1, n, gone))])
    stamps = frame.index.as_unit("us").asi8.tolist()
    unworn = [at for at, off in zip(stamps, frame["fitError"], strict=True) if off == 1]
    expected, last, broken, packet, before = [], None, False, 0, None
    for stamp, row in zip(stamps, frame.to_dict("records"), strict=True):
        number = row["sequenceNumber"]
        leap = 1 if before is None else int(number - before) % 256
        before, packet = number, packet + leap
        taken_off = up_near(unworn, stamp, 5_000_000, 0)
        broken |= leap != 1 or taken_off
        if row["walking"] and not taken_off:
            time = np.nan if last is None or broken else (packet - last) * 0.05
            expected.append(time if not time > 1 else np.nan)
            last, broken = packet, False
    found = el.gait.steps(frame)
    np.testing.assert_allclose(found.loc[found["counted"], "step_time_s"], expected)


# Movements of the eyes

MINUTE = 1200  # packets of a minute
QUIET = ("eyeMoveUp", "eyeMoveDown", "eyeMoveLeft", "eyeMoveRight", "blinkStrength", "blinkSpeed")


def eyes_moved(**more) -> pd.DataFrame:
    """Return packets without eye movements and blinks but those given."""
    return packets(MINUTE, {name: np.zeros(MINUTE) for name in QUIET} | more, jitter_us=0)


def test_each_movement_is_a_row_with_direction_and_size():
    frame = eyes_moved(
        eyeMoveLeft=flagged_at(MINUTE, 100) * 2.0,
        eyeMoveRight=flagged_at(MINUTE, 300) * 7.0,
        eyeMoveUp=flagged_at(MINUTE, 300, 500) * 1.0,
        eyeMoveDown=flagged_at(MINUTE, 700) * 4.0,
    )
    found = el.eyes.moves(frame)
    assert found["direction"].tolist() == ["left", "up", "right", "up", "down"]
    assert found["size"].tolist() == [2.0, 1.0, 7.0, 1.0, 4.0]
    assert found.index.equals(frame.index[[100, 300, 300, 500, 700]])
    assert found["counted"].all()


def test_vertical_movements_within_half_a_second_of_a_blink_do_not_count():
    frame = eyes_moved(
        blinkStrength=flagged_at(MINUTE, 200) * 80.0,
        blinkSpeed=flagged_at(MINUTE, 200) * 120.0,
        eyeMoveUp=flagged_at(MINUTE, 189, 190) * 1.0,
        eyeMoveDown=flagged_at(MINUTE, 210, 211) * 1.0,
        eyeMoveLeft=flagged_at(MINUTE, 200) * 1.0,
    )
    found = el.eyes.moves(frame)
    assert found["reason"].tolist() == ["", "near a blink", "", "near a blink", ""]


@pytest.mark.parametrize(
    ("column", "why"), [("noiseStatus", "noisy"), ("walking", "walking"), ("fitError", "not worn")]
)
def test_movements_in_time_that_is_not_usable_say_why(column, why):
    frame = eyes_moved(
        eyeMoveLeft=flagged_at(MINUTE, 600) * 1.0, **{column: flagged_at(MINUTE, 600)}
    )
    found = el.eyes.moves(frame.astype({"fitError": "float64"}))
    assert found["reason"].tolist() == [why]
    assert found["counted"].tolist() == [False]


def test_sizes_out_of_range_are_no_movements():
    assert el.eyes.moves(eyes_moved(eyeMoveLeft=flagged_at(MINUTE, 600) * 9.0)).empty


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


# Movements of the head


def head_moved(axis: str, *moves: tuple[int, float], **more) -> pd.DataFrame:
    """Return packets in which an angle moves there and back, 6 packets each way, from some rows."""
    draws = np.random.default_rng(2)
    angle = draws.normal(0, 0.04, N)
    push = np.zeros(N)
    for at, size in moves:
        angle[at : at + 13] += size * (1 - np.abs(np.arange(13) - 6) / 6)
        push[at : at + 2] += np.sign(size) * 3
    level = {"pitch": 10, "yaw": 355}[axis]
    acc, own = {"pitch": ("accZ", 16), "yaw": ("accX", 0)}[axis]
    columns = {
        axis: np.round(angle + level, 2) % 360 if axis == "yaw" else angle + level,
        acc: np.rint(own + push),
    }
    return packets(N, columns | more, jitter_us=0)


@pytest.mark.parametrize("axis", ["pitch", "yaw"])
def test_a_movement_there_and_back_is_two_of_its_size(axis):
    found = el.posture.turns(head_moved(axis, (1000, 18.0), (2000, -40.0)))
    found = found[found["axis"] == axis]
    np.testing.assert_allclose(found["size_deg"], [18, -18, -40, 40], atol=0.4)
    assert found["duration_s"].between(0.2, 0.4).all()
    assert found["counted"].all()
    assert found["peak_g"].isna().all()


def test_no_movement_is_found_at_rest_or_below_5_degrees():
    assert el.posture.turns(head_moved("yaw")).empty
    assert el.posture.turns(head_moved("yaw", (1000, 4.0))).empty


def test_a_slow_lean_is_no_movement():
    lean = np.interp(np.arange(N), [0, 1000, 1200, N], [0, 0, 40, 40])  # 4 degrees per second
    assert el.posture.turns(packets(N, {"pitch": lean}, jitter_us=0)).empty


def test_a_lost_packet_within_a_movement_does_not_cut_it_in_two():
    frame = head_moved("yaw", (1000, 30.0))
    found = el.posture.turns(frame.drop(frame.index[[1003, 1009]]))
    np.testing.assert_allclose(found["size_deg"], [30, -30], atol=0.4)


def test_peaks_of_007_to_03_g_count_and_stronger_or_shorter_ones_do_not():
    push = np.zeros(N)
    push[[500, 501]] = 3  # 0.19 G
    push[[900, 901]] = 6  # 0.38 G
    push[1300] = 3
    push[[1700, 1701]] = -2  # 0.12 G
    found = el.posture.turns(packets(N, {"accX": push}, jitter_us=0, seed=1), method="peaks")
    found = found[found["axis"] == "yaw"]
    np.testing.assert_allclose(found["peak_g"], [3 / 16, -2 / 16])
    assert found["size_deg"].isna().all()


def test_steps_shake_the_head_and_unworn_eyewear_moves_without_one():
    off = flagged_at(N, 2050).astype(float)
    frame = head_moved("yaw", (1000, 18), (2000, 18), walking=flagged_at(N, 1005), fitError=off)
    peaks = el.posture.turns(frame, method="peaks")
    peaks = peaks[peaks["axis"] == "yaw"]
    assert peaks["reason"].tolist() == ["walking", "not worn"]
    assert not peaks["counted"].any()
    angles = el.posture.turns(frame)
    assert angles["reason"].tolist() == ["", "", "not worn", "not worn"]


@pytest.mark.slow("a day of 20 Hz rows is simulated")
def test_movements_planted_in_a_day_are_found():
    asked = {"log": "current_data", "seed": 5}
    frame, truth = (
        el.simulate("2026-10-20", 1, **asked),
        el.simulate_truth("2026-10-20", 1, **asked),
    )
    for method, least in (("angles", 0.99), ("peaks", 0.97)):
        found = el.posture.turns(frame, method=method)
        for axis, kind in (("pitch", "nod"), ("yaw", "turn")):
            planted = truth.index[truth["kind"] == kind]
            own = found.index[found["axis"] == axis]
            at = own.searchsorted(planted - pd.Timedelta("300ms"))
            near = own[np.minimum(at, len(own) - 1)] - planted
            hits = (abs(near) <= pd.Timedelta("600ms")).sum()
            ways = 2 if method == "angles" else 1
            assert hits / len(planted) >= least
            assert len(own) <= 1.01 * ways * len(planted)


# Tables of events: what opens them, and what happens when they are given back


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
