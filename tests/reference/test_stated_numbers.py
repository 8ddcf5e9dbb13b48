"""Numbers of records and bins that follow from the definitions alone."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from reference.blinks import garwood
from reference.held import quietly
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


def test_a_blink_rate_by_hand() -> None:
    frame = frame_of(EYES, {"bki_n": [6, 3, 9], "bki_sum": [12.0, 30.0, 9.0]})
    found = first(el.blinks.rate(frame, limits=el.Limits(min_valid="0s")))
    assert found["rate_per_min"] == pytest.approx(21.1764706)
    low, high = garwood(18, 51 / 60)
    assert found[["low", "high"]].tolist() == [pytest.approx(low), pytest.approx(high)]


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


def test_bins_keep_root_mean_squares_as_root_mean_squares() -> None:
    frame = frame_of(MINUTES, {"sc_bki_n": [1, 3], "sc_bki_av": [2.0, 6.0]})
    bins = el.resample(frame, "2min")
    assert first(bins)["sc_bki_av"] == pytest.approx(np.sqrt((4 + 3 * 36) / 4))
    assert (el.fields(MINUTES).loc[["lc_bki_av", "sc_bki_av"], "agg"] == "rms").all()


@pytest.mark.parametrize("method", [None, "rms", "exponential"])
def test_the_rate_of_hours_is_that_of_the_minutes(method: str | None) -> None:
    rng = np.random.default_rng(6)
    frame = sixty(rng, 600, rate=np.repeat(rng.gamma(4, 15 / 4, 60), 10), noise_s=3)
    hours = el.intervals(frame, "1h")
    straight, through = (first(el.blinks.rate(f, method=method)) for f in (frame, hours))
    assert through["rate_per_min"] == pytest.approx(straight["rate_per_min"], rel=1e-9)


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


def test_walking_time_is_steps_over_cadence_and_at_most_the_interval() -> None:
    frame = frame_of(EYES, {"stp": [10, 0, 28, 7], "cad": [100.0, 0.0, 112.0, 20.0]})
    found = first(el.coverage(frame))
    assert found["walking_h"] * 3600 == pytest.approx(6 + 0 + 15 + 15)


@BOTH
def test_stored_eyewear_is_not_worn_does_not_walk_and_sees_nothing(log: str) -> None:
    walk = {"stp": [0, 20], "cad": [0.0, 100.0]} if log == EYES else {"stp_s": [0, 30]}
    frame = frame_of(log, {**walk, "tl_xav": [-72.0, -72.0], "hm_po": [1, 1]})
    found = first(el.coverage(frame))
    assert found[["worn_h", "valid_h"]].tolist() == [0, 0]
    assert not found["walking_h"] > 0


def test_unworn_minutes_walk_nowhere() -> None:
    frame = frame_of(MINUTES, {"wea_s": [60, 19, 0], "stp_s": [40, 40, 40], "hm_po": [1] * 3})
    assert first(el.coverage(frame))["walking_h"] * 3600 == pytest.approx(40)


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


def test_steps_ask_for_thirty_seconds_of_wear_and_head_movements_for_twenty() -> None:
    steps = {name: [5, 5, 5] for name in ("stp_fst", "stp_mid", "stp_slw", "stp_vsl")}
    frame = frame_of(MINUTES, {**steps, "wea_s": [30, 29, 60], "stp_s": [20] * 3, "hm_po": [7] * 3})
    reasons = el.flag(frame)
    assert ((reasons["stp_fst"] & el.Reason.UNWORN) != 0).tolist() == [False, True, False]
    assert ((reasons["hm_po"] & el.Reason.UNWORN) != 0).tolist() == [False] * 3
    assert first(el.resample(frame, "3min"))["stp_mid"] == 10
    assert first(el.daily(frame))["steps"] == 40
    lower = el.Limits(min_worn_for_steps="20s")
    assert el.flag(frame, limits=lower)["stp_fst"].tolist() == [0, 0, 0]


@BOTH
def test_pace_asks_for_a_fore_aft_tilt_below_45_degrees(log: str) -> None:
    if log == EYES:
        walk = {"stp": [20, 25, 30], "cad": [80.0, 100.0, 120.0]}
    else:
        walk = {"stp_s": [60] * 3, "stp_fst": [0] * 3, "stp_mid": [80, 100, 120]}
        walk |= {"stp_slw": [0] * 3, "stp_vsl": [0] * 3}
    frame = frame_of(log, {**walk, "tl_yav": [44.9, 45.0, 60.0]})
    assert first(el.gait.pace(frame))["pace_spm"] == pytest.approx(80)
    assert first(el.daily(frame))["pace_spm"] == pytest.approx(80)
    wide = first(el.intervals(frame, "1h"))
    assert 60 * wide["pace_steps"] / wide["pace_s"] == pytest.approx(80)


# Bins and clocks


@BOTH
def test_no_step_of_a_day_is_lost_through_intervals_of_an_hour(log: str) -> None:
    frame = el.simulate("2026-10-19", 2, log=log, seed=9, tz="Europe/Berlin")
    columns = ["steps", "pace_spm", "pace_exposure_min", "worn_h", "valid_h", "walking_h"]
    columns += ["blink_rate_per_min", "blink_n", "blink_exposure_min"]
    straight = el.daily(frame)[columns]
    through = el.daily(el.intervals(frame, "1h"))[columns]
    np.testing.assert_allclose(through, straight, rtol=1e-9)


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


def test_readme_fields_warn_once_and_name_what_is_not_judged() -> None:
    frame = el.sample()[["stp", "isl", "vld", "bki_n", "bki_sum"]]
    with pytest.warns(el.EyelogWarning) as caught:
        el.daily(frame)
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "OFF_POSE" in text
    assert "tl_xav" in text
    assert "tl_yav" in text
    assert len(quietly(el.daily, frame)) > 0
