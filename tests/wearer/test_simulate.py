"""Simulated frames: their shape, the same values everywhere, and arguments that are refused."""

import hashlib
from datetime import date
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.logs import INTERVAL_SECONDS, LOGS, columns
from support.wearers import FIFTEEN, MONDAY, SIXTY


@pytest.mark.parametrize("log", LOGS)
def test_a_short_simulation_is_the_beginning_of_a_longer_one(log: str) -> None:
    long = el.simulate(MONDAY, 9, log=log, seed=2, tz="Asia/Tokyo")
    short = el.simulate(MONDAY, 4, log=log, seed=2, tz="Asia/Tokyo")
    pd.testing.assert_frame_equal(short, long.iloc[: len(short)])


@pytest.mark.parametrize("log", LOGS)
def test_a_calendar_day_is_the_same_day_whenever_the_simulation_starts(log: str) -> None:
    early = el.simulate(MONDAY, 5, log=log, seed=2)
    late = el.simulate(date(2026, 10, 22), 2, log=log, seed=2)
    pd.testing.assert_frame_equal(late, early.iloc[-len(late) :])


@pytest.mark.parametrize(
    ("log", "digest"),
    [
        (FIFTEEN, "7fc25f032fa2563c"),
        (SIXTY, "b6425f444659021a"),
    ],
)
def test_the_bytes_are_the_same_on_every_machine(log: str, digest: str) -> None:
    frame = el.simulate(MONDAY, 3, log=log, seed=7)
    sums = hashlib.sha256(frame.index.asi8.astype("<i8").tobytes())
    numbers = frame.drop(columns="gw", errors="ignore").astype("float64")
    sums.update(numbers.to_numpy().astype("<f8").tobytes())
    assert sums.hexdigest()[:16] == digest


@given(
    day=st.dates(date(1975, 1, 1), date(2095, 1, 1)),
    seed=st.integers(0, 2**40),
    tz=st.sampled_from(["UTC", "Asia/Tokyo", "America/St_Johns", "Africa/Casablanca"]),
    log=st.sampled_from(LOGS),
)
@settings(max_examples=12)
def test_any_day_of_any_wearer_keeps_to_the_catalogue(
    day: date, seed: int, tz: str, log: str
) -> None:
    frame = el.simulate(day, 1, log=log, seed=seed, tz=tz)
    assert frame.index.is_unique
    assert frame.index.is_monotonic_increasing
    known = el.fields(log).dropna(subset=["min", "max"])
    for name, of in known[known.index != "date"].iterrows():
        values = frame[name].dropna()
        inside = values.between(of["min"], of["max"]) | (values == of["invalid_value"])
        assert inside.all(), name
    truth = el.simulate_truth(day, 1, log=log, seed=seed, tz=tz)
    assert truth["recorded_min"].sum() * 60 <= len(frame) * INTERVAL_SECONDS[log] + 1e-6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"days": 0}, "days must be a whole number of at least 1"),
        ({"days": -3}, "days"),
        ({"days": 1.5}, "days"),
        ({"days": True}, "days"),
        ({"days": "7"}, "days"),
        ({"start": "2026-13-01"}, "not a day"),
        ({"start": "yesterday"}, "not a day"),
        ({"start": "1890-01-01"}, "1970 to 2099"),
        ({"start": "2099-12-30", "days": 2}, "1970 to 2099"),
        ({"days": 10**9}, "1970 to 2099"),
        ({"seed": -1}, "seed"),
        ({"seed": 0.5}, "seed"),
        ({"log": "computed"}, "unknown log"),
        ({"tz": "Asia/Tokio"}, "Asia/Tokyo"),
    ],
)
@pytest.mark.parametrize("function", [el.simulate, el.simulate_truth])
def test_bad_arguments_are_refused_with_a_reason(
    function: Any, arguments: dict[str, Any], words: str
) -> None:
    all_arguments = {"start": MONDAY, "days": 1} | arguments
    with pytest.raises(el.ConfigurationError, match=words):
        function(all_arguments.pop("start"), all_arguments.pop("days"), **all_arguments)


def test_waking_hours_follow_the_clock_when_it_changes() -> None:
    for day in ("2026-03-28", "2026-03-29", "2026-10-25"):
        frame = el.simulate(day, 1, log=SIXTY, seed=3, tz="Europe/Berlin")
        worn = frame.index[(frame["wea_s"] >= 50) & (frame["lc_bk_n"] > 0)]
        assert 7 <= worn[0].hour <= 10, day


def test_a_day_that_the_zone_skipped_is_empty() -> None:
    frame = el.simulate("2011-12-30", 1, tz="Pacific/Apia")
    assert frame.empty
    assert tuple(frame.columns) == columns(FIFTEEN)
    assert el.simulate_truth("2011-12-30", 1, tz="Pacific/Apia").empty
    around = el.simulate("2011-12-29", 3, log=SIXTY, tz="Pacific/Apia", seed=1)
    assert set(around.index.strftime("%m-%d")) <= {"12-29", "12-31", "01-01"}
    assert around.index.is_unique
