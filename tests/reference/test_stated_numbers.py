"""Numbers of records and bins that follow from the definitions alone."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from reference.blinks import garwood
from reference.planted import fifteen, sixty
from reference.rows import EYES, MINUTES
from support.frames import at, frame_of

BOTH = pytest.mark.parametrize("log", [EYES, MINUTES])


def first(table: pd.DataFrame) -> pd.Series:
    return table.iloc[0]


# Blink rate


def test_with_noise_corrected_the_planted_rate_and_onsets_come_out() -> None:
    frame = fifteen(np.random.default_rng(1), 20_000, rate=15, onsets=1, noise_s=20)
    found = first(el.blinks.rate(frame, correct_noise=True))
    assert found["rate_per_min"] == pytest.approx(15, rel=0.015)
    assert found["noise_per_min"] == pytest.approx(1, rel=0.06)
    crude = first(el.blinks.rate(frame))
    assert crude["rate_per_min"] > found["rate_per_min"] + 0.2


def test_without_noise_the_correction_takes_nothing_off() -> None:
    frame = fifteen(np.random.default_rng(2), 4000, rate=15)
    plain, corrected = el.blinks.rate(frame), el.blinks.rate(frame, correct_noise=True)
    assert first(corrected)["rate_per_min"] == pytest.approx(first(plain)["rate_per_min"])
    assert first(corrected)["noise_per_min"] == 0


def test_the_rate_of_the_minute_log_is_blinks_over_usable_seconds() -> None:
    frame = sixty(np.random.default_rng(3), 6000, rate=14.41, noise_s=6)
    found = first(el.blinks.rate(frame))
    counted = int(frame["lc_bk_n"].sum())
    assert found["n"] == counted
    assert found["exposure_min"] == pytest.approx(5400)
    assert found["rate_per_min"] == pytest.approx(counted / 5400)
    assert found["rate_per_min"] == pytest.approx(14.41, rel=0.012)
    low, high = garwood(counted, 5400)
    assert found[["low", "high"]].tolist() == [pytest.approx(low), pytest.approx(high)]
    assert found["reason"] == ""


@pytest.mark.parametrize("method", ["exponential", "rms", "mean"])
def test_other_readings_of_the_minute_log_have_the_same_possible_exposure(method: str) -> None:
    frame = sixty(np.random.default_rng(4), 600, rate=14.0, noise_s=6)
    found = first(el.blinks.rate(frame, method=method))
    assert found["exposure_min"] == pytest.approx(540)
    n = frame["sc_bki_n"].sum()
    gap = np.sqrt((frame["sc_bki_n"] * frame["sc_bki_av"] ** 2).sum() / n)
    if method == "mean":
        gap = (frame["sc_bki_n"] * frame["sc_bki_av"]).sum() / n
    elif method == "exponential":
        gap /= np.sqrt(2)
    assert found["rate_per_min"] == pytest.approx(60 / gap)
    low, high = garwood(n, n * gap / 60)
    assert found[["low", "high"]].tolist() == [pytest.approx(low), pytest.approx(high)]


def test_two_usable_minutes_are_too_few_however_long_the_gaps() -> None:
    rows = {"lc_bk_n": [9] * 2, "sc_bki_n": [100] * 2, "sc_bki_av": [40.0] * 2}
    frame = frame_of(MINUTES, rows)
    for method in (None, "rms", "exponential"):
        found = first(el.blinks.rate(frame, method=method))
        assert np.isnan(found["rate_per_min"])
        assert found["exposure_min"] == pytest.approx(2)
        assert "too little usable time" in found["reason"]


def test_no_blink_in_ten_usable_minutes_is_no_measurement() -> None:
    found = first(el.blinks.rate(frame_of(MINUTES, {"lc_bk_n": [0] * 10})))
    assert found[["rate_per_min", "low", "high"]].isna().all()
    assert "no blink in 10 usable minutes" in found["reason"]


def test_no_blink_in_five_usable_minutes_is_a_rate_of_0_with_its_interval() -> None:
    found = first(el.blinks.rate(frame_of(MINUTES, {"lc_bk_n": [0] * 5})))
    assert found[["rate_per_min", "low"]].tolist() == [0, 0]
    assert found["high"] == pytest.approx(-np.log(0.025) / 5)
    assert found["reason"] == ""


def test_each_group_says_why_it_has_no_rate() -> None:
    frame = frame_of(MINUTES, {"lc_bk_n": [0] * 12 + [15] * 12 + [15] * 2})
    by = np.repeat(["mute", "awake", "short"], [12, 12, 2])
    found = el.blinks.rate(frame, by=by)
    assert found["rate_per_min"].isna().to_dict() == {"awake": False, "mute": True, "short": True}
    assert "no blink" in found.loc["mute", "reason"]
    assert "too little usable time" in found.loc["short", "reason"]
    assert str(found["reason"].dtype).startswith("str")


def test_the_variance_of_all_blinks_is_that_within_and_between_where_an_sd_is_missing() -> None:
    frame = frame_of(
        EYES,
        {
            "bk_n": [2, 3, 4, 5],
            "bkh_av": [80.0, 120.0, 100.0, 200.0],
            "bkh_sd": [9.0, 8.0, 7.0, None],
        },
    )
    found = first(el.blinks.strength(frame))
    within = np.sqrt((2 * 81 + 3 * 64 + 4 * 49) / 9)
    middle = (2 * 80 + 3 * 120 + 4 * 100) / 9
    squares = 2 * (80 - middle) ** 2 + 3 * (120 - middle) ** 2 + 4 * (100 - middle) ** 2
    assert found["strength_sd_uv"] == pytest.approx(within)
    assert found["strength_sd_between_uv"] == pytest.approx(np.sqrt(squares / 9))
    assert found["strength_sd_total_uv"] ** 2 == pytest.approx(within**2 + squares / 9)


@pytest.mark.slow("weeks are simulated over many seeds")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_default_rate_of_a_simulated_wearer_is_the_planted_one(seed: int) -> None:
    where = {"log": MINUTES, "seed": seed, "tz": "Asia/Tokyo"}
    truth = el.simulate_truth("2026-10-19", 5, **where).dropna(subset="judged_blink_rate_per_min")
    planted = np.average(truth["judged_blink_rate_per_min"], weights=truth["judged_blink_min"])
    found = first(el.blinks.rate(el.simulate("2026-10-19", 5, **where)))
    assert found["rate_per_min"] == pytest.approx(planted, rel=0.01)


# Wear, walking, steps and pace


def test_one_record_in_the_bag_does_not_begin_the_day() -> None:
    isl = [True] * 40 + [False] + [True] * 40 + [False] * 40 + [True] * 8 + [False] * 3
    tilt = [0.0] * 40 + [-72.0] + [0.0] * (len(isl) - 41)
    days = el.daily(frame_of(EYES, {"isl": isl, "tl_xav": tilt, "hm_po": [1] * len(isl)}))
    assert str(first(days)["first_worn"]) == "2026-10-20 10:20:15+00:00"
    assert str(first(days)["last_worn"]) == "2026-10-20 10:30:15+00:00"


def test_wear_over_midnight_is_one_run() -> None:
    wear = [0.0] * 10 + [60.0] * 6 + [0.0] * 10
    rows = {"wea_s": wear, "hm_po": [1] * 26}
    frame = frame_of(MINUTES, rows, start="2026-10-20T23:47:00Z")  # 3 minutes of it before 24:00
    days = el.daily(frame)
    assert [str(at)[11:16] for at in days["first_worn"]] == ["23:57", "00:00"]
    assert [str(at)[11:16] for at in days["last_worn"]] == ["00:00", "00:03"]


def test_a_record_whose_values_are_all_judged_away_is_still_a_record() -> None:
    rows = {"isl": [None], "vld": [None], "nis_time": [None], "tl_yav": [-180.0], "hm_po": [1]}
    frame = frame_of(EYES, rows)
    day = first(el.daily(frame))
    assert (day["n"], day["recorded_h"]) == (1, 15 / 3600)
    assert first(el.coverage(frame))["n"] == 1


# Bins and clocks


# Stamps that close the record before a change of the clocks, and the hour that they close.
CHANGES = [
    ("Europe/Berlin", "2026-03-29T01:00:00Z", 1),  # 03:00+02:00: there is no hour 2
    ("Europe/Berlin", "2026-10-25T01:00:00Z", 2),  # 02:00+01:00, once more
    ("Europe/Berlin", "2026-10-25T00:00:00Z", 1),  # 02:00+02:00
    ("Australia/Lord_Howe", "2026-10-03T15:30:00Z", 1),  # 02:30+11:00 follows 01:59
    ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 1),  # 01:30+10:30 follows 01:59
    ("America/St_Johns", "2026-03-08T05:30:00Z", 1),  # 03:00-02:30
    ("Asia/Tokyo", "2026-10-19T15:00:00Z", 23),  # midnight
]


@pytest.mark.parametrize(("tz", "stamp", "hour"), CHANGES)
def test_a_stamp_closes_the_hour_before_it(tz: str, stamp: str, hour: int) -> None:
    frame = at(frame_of(EYES, {"stp": [20], "cad": [100.0]}, tz=tz), [stamp])
    assert el.gait.pace(frame, by="hour").index.tolist() == [hour]
    # An interval belongs to the hour in which it opens.
    after = at(frame, [str(pd.Timestamp(stamp) + pd.Timedelta("15s"))])
    opened = pd.Timestamp(stamp).tz_convert(tz).hour
    assert el.gait.pace(after, by="hour").index.tolist() == [opened]


@pytest.mark.parametrize(("tz", "stamp", "hour"), CHANGES)
def test_between_takes_the_record_by_the_hour_that_it_closes(
    tz: str, stamp: str, hour: int
) -> None:
    frame = at(frame_of(EYES, {"stp": [20]}, tz=tz), [stamp])
    for h in range(24):
        kept = el.between_time(frame, f"{h:02}:00", f"{h + 1:02}:00")
        assert len(kept) == (h == hour), f"{h} o'clock"


@BOTH
def test_the_fields_that_a_day_needs_give_the_day_without_a_warning(log: str) -> None:
    frame = el.simulate("2026-10-19", 1, log=log, seed=2, tz="Europe/Berlin")
    needed = list(el.fields(log, of="daily").index)
    whole, part = el.daily(frame), el.daily(frame[needed])
    pd.testing.assert_frame_equal(part, whole)


@pytest.mark.slow("weeks are simulated over many seeds")
@BOTH
def test_wear_by_blinks_finds_the_time_worn_by_someone_who_sits_still(log: str) -> None:
    worn, planted, moves, planted_moves = 0.0, 0.0, 0.0, 0.0
    for seed in range(3):
        where = {"log": log, "seed": seed, "tz": "Asia/Tokyo"}
        truth = el.simulate_truth("2026-10-19", 5, **where)
        frame = el.simulate("2026-10-19", 5, **where)
        days = el.daily(frame, limits=el.Limits(wear="blinks"))
        worn += days["worn_h"].sum()
        moves += (days["head_moves_yaw_per_h"] * days["worn_h"]).sum()
        planted += truth["worn_min"].sum() / 60
        planted_moves += truth["head_moves_yaw"].sum()
    assert worn == pytest.approx(planted, rel=0.02)
    assert moves / worn == pytest.approx(planted_moves / planted, rel=0.04)
