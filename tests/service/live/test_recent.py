"""The numbers of the page, beside a count by hand of the same messages."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from eyelog_service.live import Messages
from eyelog_service.live_page import BIN_S, MINUTES, Recent
from support.livesocket import packet

START = datetime(2026, 10, 19, 10, 0, tzinfo=UTC)
PACKET = timedelta(milliseconds=50)
BINS = MINUTES * 60 // BIN_S


def received(rows: list[dict[str, Any]], start: datetime = START) -> Recent:
    """Let messages come, 50 ms after one another."""
    stamps = (start + PACKET * number for number in range(1, len(rows) + 1))
    messages, recent = Messages(lambda: next(stamps)), Recent()
    for row in rows:
        taken = messages.take(json.dumps(row).encode())
        assert taken is not None
        recent.add(taken)
    return recent


def drawn(n: int, seed: int = 3) -> list[dict[str, Any]]:
    draws = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        blink = draws.random() < 0.015
        rows.append(
            packet(
                number,
                blinkSpeed=120 if blink else 0,
                blinkStrength=80 if blink else 0,
                walking=int(draws.random() < 0.002),
                noiseStatus=int(draws.random() < 0.001),
                accY=int(draws.integers(-8, 9)),
            )
        )
    return rows


def test_sums_by_15_seconds_are_those_of_a_count_by_hand() -> None:
    rows = drawn(11 * 60 * 20)  # the first minute is too old
    now = START + PACKET * len(rows) + timedelta(seconds=0.4)
    shown = received(rows).shown(now)["recent"]
    steps, noise = [0.0] * BINS, [0.0] * BINS
    ahead, up = [0] * BINS, [0] * BINS
    for number, row in enumerate(rows, 1):
        ago = (now - (START + PACKET * number)).total_seconds()
        if ago < MINUTES * 60:
            at = BINS - 1 - int(ago // BIN_S)
            steps[at] += row["walking"]
            noise[at] += 0.05 * row["noiseStatus"]
            ahead[at] += row["accY"]
            up[at] += row["accZ"]
    assert shown["steps_by"] == pytest.approx(steps)
    assert shown["noise"] == pytest.approx(noise, abs=0.006)
    tilts = [float(np.degrees(np.arctan2(a, abs(u)))) for a, u in zip(ahead, up, strict=True)]
    assert shown["tilt"] == pytest.approx(tilts, abs=0.006)
    assert shown["steps"] == sum(steps)
    assert shown["worn_s"] == pytest.approx(600, abs=1)
    assert shown["battery"] == 4
    assert shown["lost"] == 0


def test_the_rate_of_the_last_minutes_is_blinks_over_usable_time() -> None:
    rows = [packet(n, blinkSpeed=120 * (n % 60 == 0), blinkStrength=80) for n in range(4_000)]
    shown = received(rows).shown(START + PACKET * 4_000)["recent"]
    assert shown["rate"]["rate_per_min"] == pytest.approx(20, abs=0.4)
    assert shown["rate"]["exposure_min"] == pytest.approx(3, abs=0.01)
    assert shown["rate"]["low"] < 20 < shown["rate"]["high"]
    assert all(minute["ago_s"] > -30 for minute in shown["minutes"])
    assert [minute["rate_per_min"] for minute in shown["minutes"][1:3]] == [20, 20]


def test_lost_packets_are_those_whose_numbers_are_missing() -> None:
    rows = [row for row in (packet(n) for n in range(500)) if row["index"] not in (7, 8, 300)]
    shown = received(rows).shown(START + PACKET * 500)["recent"]
    assert (shown["lost"], shown["packets"]) == (3, 500)


def test_nothing_and_other_messages_give_no_numbers() -> None:
    assert Recent().shown()["recent"] is None
    shown = received([{"type": "a", "subType": "b", "value": 1}]).shown(START)
    assert shown["recent"] is None
    assert (shown["messages"], shown["kinds"]) == (1, 1)


def test_what_is_too_old_goes() -> None:
    recent = received(drawn(200))
    assert recent.shown(START + timedelta(minutes=1))["recent"]["packets"] == 200
    assert recent.shown(START + timedelta(minutes=11))["recent"] is None
