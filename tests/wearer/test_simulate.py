"""The simulated wearer: shape, life, agreement of the logs, and truth that estimates can find."""

import hashlib
import subprocess
import sys
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.catalogue import INTERVAL_SECONDS, LOGS, catalogue, columns
from eyelog.clock import day_start, zone
from eyelog.provenance import history, stated_log
from eyelog.wearer import habits
from eyelog.wearer.day import live

FIFTEEN, SIXTY = LOGS
MONDAY = "2026-10-19"
FORTNIGHT = 14
SCORES = ("sc_slp", "sc_fcs", "sc_tsn", "sc_clm", "sc_slp_std")


@pytest.fixture(scope="module")
def fifteen() -> pd.DataFrame:
    return el.sample(FIFTEEN)


@pytest.fixture(scope="module")
def sixty() -> pd.DataFrame:
    return el.sample(SIXTY)


@lru_cache
def fortnight(log: str, seed: int) -> pd.DataFrame:
    return el.simulate(MONDAY, FORTNIGHT, log=log, seed=seed)


@lru_cache
def truth_of_fortnight(log: str, seed: int) -> pd.DataFrame:
    return el.simulate_truth(MONDAY, FORTNIGHT, log=log, seed=seed)


def truth_of_sample(log: str) -> pd.DataFrame:
    return el.simulate_truth(MONDAY, 7, log=log, seed=14, tz="Asia/Tokyo")


def steps_of(frame: pd.DataFrame) -> "pd.Series[float]":
    if "stp" in frame:
        return frame["stp"]
    return frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum(axis=1)


def on_a_head(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["tl_xav"].between(-45, 45) & frame["tl_yav"].between(-45, 90)


def hourly(values: "pd.Series[Any]") -> "pd.Series[Any]":
    return values.groupby(values.index.ceil("1h")).sum()


# The shape of the frame


@pytest.mark.parametrize("log", LOGS)
def test_a_frame_has_the_one_shape(log: str) -> None:
    frame = el.simulate(MONDAY, 2, log=log, seed=3, tz="Europe/Berlin")
    index = frame.index
    assert isinstance(index, pd.DatetimeIndex)
    assert (index.name, str(index.tz), index.unit) == ("date", "Europe/Berlin", "us")
    assert index.is_monotonic_increasing
    assert index.is_unique
    assert tuple(frame.columns) == columns(log)
    assert {name: str(frame[name].dtype) for name in frame} == {
        name: catalogue(log)[name].dtype for name in columns(log)
    }


@pytest.mark.parametrize("log", LOGS)
def test_provenance_says_what_was_asked(log: str) -> None:
    frame = el.simulate(MONDAY, 1, log=log, seed=3)
    assert stated_log(frame) == log
    assert history(frame) == [
        {"step": "simulate", "start": MONDAY, "days": 1, "seed": 3, "tz": "UTC"}
    ]


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_field_is_filled_somewhere_and_keeps_to_the_catalogue(log: str, seed: int) -> None:
    frame = fortnight(log, seed)
    for name, known in catalogue(log).items():
        if name == "date":
            continue
        values = frame[name].dropna()
        assert len(values), name
        if known.value_type in ("str", "bool"):
            continue
        values = values[values != known.invalid_value]
        if known.min is not None and known.max is not None:
            assert values.between(known.min, known.max).all(), name
        if known.value_type == "int":
            assert (values % 1 == 0).all(), name


def test_gw_is_an_empty_text_and_not_missing(fifteen: pd.DataFrame) -> None:
    assert (fifteen["gw"] == "").all()


def test_values_that_only_vary_because_the_wearer_lives_do_vary(fifteen: pd.DataFrame) -> None:
    for name in ("stp", "bk_n", "bki_sum", "tl_yav", "hm_yo", "re_r", "sc_fcs", "nis_time", "bl"):
        assert fifteen[name].nunique() > 4, name


# The same draws everywhere


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


def test_the_zone_moves_the_same_day_to_another_place() -> None:
    here = el.simulate(MONDAY, 2, seed=2, tz="UTC")
    there = el.simulate(MONDAY, 2, seed=2, tz="Asia/Kolkata")
    assert (here.index.tz_localize(None) == there.index.tz_localize(None)).all()
    one, other = (frame.reset_index(drop=True) for frame in (here, there))
    pd.testing.assert_frame_equal(one, other)


def test_another_seed_is_another_person() -> None:
    one, two = (el.simulate(MONDAY, 1, log=SIXTY, seed=seed) for seed in (1, 2))
    assert not one.equals(two)
    assert habits.traits(1) != habits.traits(2)


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


def test_a_sample_is_the_callers_own() -> None:
    mine = el.sample()
    mine["stp"] = 0.0
    assert el.sample()["stp"].sum() > 0


# Time


@pytest.mark.parametrize(
    ("day", "tz", "hours"),
    [
        ("2026-03-29", "Europe/Berlin", 23),
        ("2026-10-25", "Europe/Berlin", 25),
        ("2026-04-05", "Australia/Lord_Howe", 25),  # a day of 24 hours and a half
        ("2026-10-04", "Australia/Lord_Howe", 24),
        ("2026-10-24", "Asia/Kathmandu", 24),
        ("2018-11-04", "America/Sao_Paulo", 23),  # no midnight
        ("1994-12-30", "Pacific/Kiritimati", 24),  # the next day is left out
    ],
)
@pytest.mark.parametrize("log", LOGS)
def test_days_of_any_length_are_lived(day: str, tz: str, hours: int, log: str) -> None:
    frame = el.simulate(day, 1, log=log, tz=tz, seed=1)
    first = date.fromisoformat(day)
    begin, end = (day_start(first + timedelta(days=n), zone(tz)) for n in (0, 1))
    assert frame.index[0] > begin
    assert frame.index[-1] <= end
    assert len(el.simulate_truth(day, 1, log=log, tz=tz, seed=1)) == hours
    lived = live(1, first, habits.traits(1), zone(tz))
    assert lived is not None
    assert lived.seconds == (end - begin).total_seconds()
    if log == SIXTY:
        assert len(frame) == lived.on.reshape(-1, 60).any(axis=1).sum()


def test_waking_hours_keep_to_the_clock_when_it_is_changed() -> None:
    for day in ("2026-03-28", "2026-03-29", "2026-10-25"):
        frame = el.simulate(day, 1, log=SIXTY, seed=3, tz="Europe/Berlin")
        worn = frame.index[(frame["wea_s"] >= 50) & (frame["lc_bk_n"] > 0)]
        assert 7 <= worn[0].hour <= 10, day


def test_a_day_that_the_zone_skipped_holds_nothing() -> None:
    frame = el.simulate("2011-12-30", 1, tz="Pacific/Apia")
    assert frame.empty
    assert tuple(frame.columns) == columns(FIFTEEN)
    assert el.simulate_truth("2011-12-30", 1, tz="Pacific/Apia").empty
    around = el.simulate("2011-12-29", 3, log=SIXTY, tz="Pacific/Apia", seed=1)
    assert set(around.index.strftime("%m-%d")) <= {"12-29", "12-31", "01-01"}
    assert around.index.is_unique


def test_a_stamp_closes_its_interval_so_the_last_may_be_midnight(sixty: pd.DataFrame) -> None:
    assert str(sixty.index[0]) == "2026-10-19 00:01:00+09:00"
    assert str(sixty.index[-1]) == "2026-10-26 00:00:00+09:00"


def test_the_grid_of_15_seconds_starts_when_the_phone_connects(fifteen: pd.DataFrame) -> None:
    seconds = fifteen.index.asi8 // 1_000_000
    steps = np.diff(seconds)
    assert (steps >= 15).all()
    assert (steps == 15).mean() > 0.99
    assert len(set(seconds % 15)) > 5


def test_a_connection_through_the_night_keeps_its_grid(fifteen: pd.DataFrame) -> None:
    night = fifteen.loc["2026-10-23 23:50":"2026-10-24 06:00"]
    assert set(np.diff(night.index.asi8)) == {15_000_000}
    assert (night["bl"].iloc[10:] == 0).all()


def test_the_60_second_log_keeps_to_the_minute(sixty: pd.DataFrame) -> None:
    assert (sixty.index.second == 0).all()


# The life


def test_the_sample_week_holds_its_mishaps(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    tuesday = slice("2026-10-20 09:00", "2026-10-20 17:00")
    assert fifteen.loc[tuesday].empty
    assert len(sixty.loc[tuesday]) == 481
    afternoon = slice("2026-10-22 14:00", "2026-10-22 17:00")
    assert sixty.loc[afternoon].empty  # the battery is flat
    assert (sixty.loc["2026-10-22 11:00":"2026-10-22 12:00", "bl"] == 1).all()
    assert (sixty.loc["2026-10-22 22:00":"2026-10-22 23:00", "bl"] == 0).all()
    bag = sixty.loc["2026-10-23 18:00":"2026-10-23 21:00"]
    carried = bag[bag["tl_xav"] > 60]
    assert carried["wea_s"].median() > 45
    assert (carried["wea_s"][carried["stp_s"] > 30] > 40).all()
    assert (carried["lc_bk_n"] == 0).mean() > 0.9
    sunday = sixty.loc["2026-10-25"]
    assert np.diff(sunday.index.asi8).max() > 40 * 60e6  # upside down it sleeps
    assert (sunday["bl"] > 0).any()


@pytest.mark.parametrize("seed", range(4))
def test_the_60_second_log_only_lacks_flat_or_sleeping_eyewear(seed: int) -> None:
    first = date(2026, 10, 19)
    who = habits.traits(seed)
    frame = fortnight(SIXTY, seed)
    stamps = frame.index.asi8 // 1_000_000
    for n in range(14):
        day = live(seed, first + timedelta(days=n), who, zone("UTC"))
        assert day is not None
        there = np.isin(day.begin + 60 * np.arange(1, 1441), stamps)
        on = day.on.reshape(-1, 60).any(axis=1)
        np.testing.assert_array_equal(there, on)
        off = ~day.on & (day.kind != habits.KINDS["asleep"])
        assert not off.any() or not day.plan.before.charged


@pytest.mark.parametrize("seed", range(4))
def test_nights_are_unworn_and_weekends_differ(seed: int) -> None:
    frame = fortnight(SIXTY, seed)
    night = frame[frame.index.hour < 5]
    assert (night["wea_s"] < 20).mean() > 0.95
    assert not on_a_head(night).any()
    assert (night["lc_bk_n"] == 0).all()
    work = frame[(frame.index.hour == 10) & (frame.index.day_of_week < 5)]
    home = frame[(frame.index.hour == 7) & (frame.index.day_of_week < 5)]
    weekend = frame[(frame.index.hour == 7) & (frame.index.day_of_week >= 5)]
    assert work["wea_s"].mean() > 35
    assert home["wea_s"].mean() > weekend["wea_s"].mean()


def test_a_working_life_has_a_plausible_day() -> None:
    truth = truth_of_fortnight(SIXTY, 1)
    days = truth.groupby((truth.index - pd.Timedelta("1s")).date).sum()
    assert days["total_worn_min"].between(8 * 60, 17.5 * 60).all()
    assert days["total_steps"].between(1500, 22_000).all()
    assert 4_000 < days["total_steps"].mean() < 12_000
    assert truth["pace_spm"].dropna().between(75, 185).all()
    assert truth["blink_rate_per_min"].dropna().between(5, 45).all()


# Fields of one record agree


def test_blink_statistics_of_a_15_second_record_agree(fifteen: pd.DataFrame) -> None:
    f = fifteen
    assert (f["bk_n"] <= f["rbk_n"]).all()
    assert (f["bki_n"] <= f["rbk_n"]).all()
    some = f["bk_n"] > 0
    exact = f["bkh_sum"] - f["bk_n"] * f["bkh_av"]
    assert (exact[some].abs() <= 0.005 * f["bk_n"][some] + 1e-9).all()
    assert (f["bkh_sum"][~some] == 0).all()
    assert (f["bkh_max"] >= f["bkh_av"] - 0.01)[some].all()
    gaps = f["bki_n"] > 0
    exact = f["bki_sum"] - f["bki_n"] * f["bki_av"]
    assert (exact[gaps].abs() <= 0.005 * f["bki_n"][gaps] + 1e-9).all()
    assert (f["bki_sum"][~gaps] == 0).all()
    assert (f.loc[f["bk_n"] == 1, ["bkh_sd", "npt_sd"]] == 0).all(axis=None)


def test_a_blink_buffer_keeps_its_old_values_while_nothing_is_counted(
    fifteen: pd.DataFrame, sixty: pd.DataFrame
) -> None:
    bath = slice("2026-10-21 19:30", "2026-10-21 19:45")
    assert (sixty.loc[bath, "lc_bk_n"] == 0).all()
    for name in ("lc_bkw_av", "lc_bkh_av", "lc_bki_av", "sc_npt_av"):
        assert sixty.loc[bath, name].eq(sixty.loc[bath, name].iloc[0]).all(), name
    idle = (fifteen["bk_n"] == 0) & (fifteen["bk_n"].shift() == 0)
    same = fifteen["bkh_av"] == fifteen["bkh_av"].shift()
    assert same[idle].mean() > 0.99


def test_validity_and_scores_keep_to_their_definitions(fifteen: pd.DataFrame) -> None:
    f = fifteen
    assert (f["vld"] == ((f["nis_time"] < 3) & (f["stp"] < 5))).all()
    for name in SCORES:
        assert (f[name][~f["vld"] | f["isl"]] == -1).all(), name
        assert (f[name] != -1).mean() > 0.25, name
    assert f[["sc_npt", "bkh_av_wa"]].isna().any().all()
    assert f["cum_time"].groupby(f.index.date).is_monotonic_increasing.mean() > 0.8


def test_gait_fields_agree_and_differ_between_the_feet(
    fifteen: pd.DataFrame, sixty: pd.DataFrame
) -> None:
    for frame in (fifteen, sixty):
        walks = steps_of(frame) > 0
        for name in ("sa_xr", "sa_zl", "st_r"):
            assert ((frame[name] > 0) == walks).all(), name
        wanted = habits.traits(14).asymmetry[2]
        ratio = frame["sa_zr"][walks].mean() / frame["sa_zl"][walks].mean()
        assert ratio == pytest.approx(wanted, abs=0.015)
    assert ((fifteen["cad"] > 0) == (fifteen["stp"] > 0)).all()
    assert fifteen["cad"][fifteen["stp"] > 10].between(75, 180).all()


def test_the_minute_holds_no_more_than_a_minute(sixty: pd.DataFrame) -> None:
    for name in ("nis_s", "wea_s", "stp_s"):
        assert (sixty[name] <= sixty["val_s"]).all(), name
    assert (sixty["sc_bk_n"] <= sixty["lc_bk_n"]).all()
    assert (sixty["lc_bkg_n"] * 2 <= sixty["lc_bk_n"] + 1).all()
    whole = sixty[sixty["stp_s"] >= 50]
    pace = steps_of(whole) * 60 / whole["stp_s"]
    assert pace.between(70, 180).all()
    assert sixty[["ems_rl", "ems_ud"]].max().max() == 255  # saturation, rare
    assert (sixty["ems_rl"] == 255).mean() < 0.01


# The two logs agree


def test_both_logs_count_the_same_steps(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    truth = truth_of_sample(FIFTEEN)
    whole = truth.index[truth["recorded_min"] == 60]
    one, other = (
        hourly(steps_of(frame)).reindex(whole, fill_value=0) for frame in (fifteen, sixty)
    )
    walked = one > 200
    assert walked.sum() > 15
    # They differ by the edges: an interval of 15 s may run over the end of the hour.
    assert ((one - other).abs() <= 30).all()
    assert other.sum() / one.sum() == pytest.approx(1, abs=0.01)


def test_both_logs_see_the_same_wear_and_blinks(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    truth = truth_of_sample(FIFTEEN)
    whole = truth.index[truth["recorded_min"] == 60]
    worn = hourly((~fifteen["isl"]).astype(float) * 15).reindex(whole, fill_value=0)
    also = hourly(sixty["wea_s"]).reindex(whole, fill_value=0)
    assert (worn - also).abs().max() < 150
    blinks = hourly(fifteen["bk_n"]).reindex(whole, fill_value=0)
    others = hourly(sixty["lc_bk_n"]).reindex(whole, fill_value=0)
    assert blinks.sum() / others.sum() == pytest.approx(1, abs=0.05)


# The truth can be found


@pytest.mark.parametrize("log", LOGS)
def test_truth_and_records_cover_the_same_time(log: str) -> None:
    frame, truth = el.sample(log), truth_of_sample(log)
    assert len(truth) == 168
    assert truth.index.tz is frame.index.tz or str(truth.index.tz) == str(frame.index.tz)
    minutes = len(frame) / 4 if log == FIFTEEN else frame["val_s"].sum() / 60
    assert truth["recorded_min"].sum() == pytest.approx(minutes, abs=1)
    parts = truth[["worn_min", "carried_min", "walking_min", "blink_min"]]
    assert (parts.le(truth["recorded_min"] + 1e-9, axis=0)).all(axis=None)
    assert (truth["total_worn_min"] >= truth["worn_min"] - 1e-9).all()
    assert (truth["total_steps"] >= truth["steps"]).all()


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("seed", range(3))
def test_steps_are_recovered(log: str, seed: int) -> None:
    frame = fortnight(log, seed)
    truth = truth_of_fortnight(log, seed)
    counted = steps_of(frame)[on_a_head(frame)].sum()
    assert counted == pytest.approx(truth["steps"].sum(), rel=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_pace_is_recovered(seed: int) -> None:
    frame = fortnight(SIXTY, seed)
    truth = truth_of_fortnight(SIXTY, seed)
    whole = frame[(frame["stp_s"] >= 50) & on_a_head(frame)]
    weekday = whole[whole.index.day_of_week < 5]
    pace = steps_of(weekday).sum() * 60 / weekday["stp_s"].sum()
    walks = truth[(truth["walking_min"] > 6) & (truth.index.day_of_week < 5)]
    planted = (walks["pace_spm"] * walks["walking_min"]).sum() / walks["walking_min"].sum()
    assert pace == pytest.approx(habits.traits(seed).cadence, rel=0.02)
    assert pace == pytest.approx(planted, rel=0.06)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("seed", range(3))
def test_wear_is_recovered_but_for_the_still_time(log: str, seed: int) -> None:
    frame = fortnight(log, seed)
    truth = truth_of_fortnight(log, seed)
    worn = frame["wea_s"] / 60 if log == SIXTY else (~frame["isl"]).astype(float) / 4
    share = worn[on_a_head(frame)].sum() / truth["worn_min"].sum()
    assert 0.75 < share < 0.92


def test_still_wear_is_judged_off_about_30_percent_of_the_time_and_a_bag_worn() -> None:
    desk, lying, bag = [], [], []
    for seed in range(6):
        who = habits.traits(seed)
        for n in range(7):
            day = live(seed, date(2026, 10, 19) + timedelta(days=n), who, zone("UTC"))
            assert day is not None
            desk.append(day.judged[(day.kind == habits.KINDS["desk"]) & ~day.walking])
            lying.append(day.judged[np.isin(day.kind, [habits.KINDS["lying"]])])
            bag.append(day.judged[day.walking & (day.kind == habits.KINDS["bag_walk"])])
    assert np.concatenate(desk).mean() == pytest.approx(0.70, abs=0.04)
    assert np.concatenate(lying).mean() < 0.10
    assert np.concatenate(bag).all()


def usable(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["vld"].astype(bool) & (frame["stp"] == 0) & on_a_head(frame)


@pytest.mark.parametrize("seed", range(4))
def test_the_planted_blink_rate_is_recovered_within_sampling_error(seed: int) -> None:
    frame = fortnight(FIFTEEN, seed)
    truth = truth_of_fortnight(FIFTEEN, seed)
    kept = frame[usable(frame)]
    gaps = kept.groupby(kept.index.ceil("1h"))[["bki_n", "bki_sum"]].sum()
    hours = truth.join(gaps).query("blink_min > 20 and bki_n > 100")
    assert len(hours) > 100
    onsets = hours["noise_bouts"] / hours["blink_min"]  # noise takes the long gaps away
    rate = 60 * hours["bki_n"] / hours["bki_sum"] - onsets
    off = (rate / hours["blink_rate_per_min"] - 1) * np.sqrt(hours["bki_n"])
    assert abs(off[onsets < 0.3].mean()) < 0.35
    assert 0.85 < off[onsets < 0.3].std() < 1.25  # Poisson counts: standardised errors
    pooled = 60 * hours["bki_n"].sum() / hours["bki_sum"].sum()
    weight = hours["bki_sum"]
    planted = (hours["blink_rate_per_min"] * weight).sum() / weight.sum()
    expected = planted + (onsets * weight).sum() / weight.sum()
    assert pooled == pytest.approx(expected, rel=0.012)


@pytest.mark.parametrize("seed", range(4))
def test_time_judged_off_hides_the_rate_of_the_still_hours(seed: int) -> None:
    frame, truth = fortnight(FIFTEEN, seed), truth_of_fortnight(FIFTEEN, seed)
    kept = frame[usable(frame) & ~frame["isl"].astype(bool)]
    onsets = truth["noise_bouts"].sum() / truth["blink_min"].sum()
    rate = 60 * kept["bki_n"].sum() / kept["bki_sum"].sum() - onsets

    def planted(prefix: str) -> float:
        weight = truth[f"{prefix}blink_min"]
        return float((truth[f"{prefix}blink_rate_per_min"] * weight).sum() / weight.sum())

    assert rate == pytest.approx(planted("judged_"), rel=0.012)
    assert 1.02 < planted("judged_") / planted("") < 1.09


def test_the_blink_rate_of_the_60_second_log_is_recovered_from_its_root_mean_squares() -> None:
    frame = fortnight(SIXTY, 1)
    truth = truth_of_fortnight(SIXTY, 1)
    talk = truth[(truth["blink_min"] > 40) & (truth["noise_bouts"] < 8)]
    kept = frame[(frame["nis_s"] < 12) & (frame["stp_s"] == 0) & (frame["lc_bki_n"] > 0)]
    square = kept["lc_bki_n"] * kept["lc_bki_av"] ** 2
    sums = pd.DataFrame({"n": kept["lc_bki_n"], "square": square})
    hours = talk.join(sums.groupby(sums.index.ceil("1h")).sum()).dropna()
    # Of exponential gaps the mean square is twice the squared mean.
    rate = 60 / np.sqrt(hours["square"] / hours["n"] / 2)
    ratio = rate / hours["blink_rate_per_min"]
    assert len(hours) > 20
    assert ratio.median() == pytest.approx(1, abs=0.08)


def test_the_planted_rate_follows_what_the_wearer_does() -> None:
    who = habits.traits(5)
    rates: dict[str, list[float]] = {"read": [], "desk": [], "talk": []}
    for n in range(5):
        day = live(5, date(2026, 10, 19) + timedelta(days=n), who, zone("UTC"))
        assert day is not None
        for name, found in rates.items():
            at = day.kind == habits.KINDS[name]
            found.extend(day.blink_cells[at].tolist())
    assert np.mean(rates["read"]) < np.mean(rates["desk"]) < np.mean(rates["talk"])


@given(
    day=st.dates(date(1975, 1, 1), date(2095, 1, 1)),
    seed=st.integers(0, 2**40),
    tz=st.sampled_from(["UTC", "Asia/Tokyo", "America/St_Johns", "Africa/Casablanca"]),
    log=st.sampled_from(LOGS),
)
@settings(max_examples=12)
def test_any_day_of_anybody_keeps_the_laws(day: date, seed: int, tz: str, log: str) -> None:
    frame = el.simulate(day, 1, log=log, seed=seed, tz=tz)
    assert frame.index.is_unique
    assert frame.index.is_monotonic_increasing
    for name, known in catalogue(log).items():
        if name == "date" or known.min is None or known.max is None:
            continue
        values = frame[name].dropna()
        inside = values.between(known.min, known.max) | (values == known.invalid_value)
        assert inside.all(), name
    truth = el.simulate_truth(day, 1, log=log, seed=seed, tz=tz)
    assert truth["recorded_min"].sum() * 60 <= len(frame) * INTERVAL_SECONDS[log] + 1e-6


# Bad input


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
def test_bad_arguments_are_refused_with_a_sentence(
    function: Any, arguments: dict[str, Any], words: str
) -> None:
    given_ = {"start": MONDAY, "days": 1} | arguments
    with pytest.raises(el.ConfigurationError, match=words):
        function(given_.pop("start"), given_.pop("days"), **given_)


def test_the_sample_of_an_unknown_log_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="unknown log"):
        el.sample("weekly")


def test_the_wearer_needs_nothing_of_the_service_extra() -> None:
    code = (
        "import sys\n"
        "for name in ('starlette', 'uvicorn', 'jinja2', 'itsdangerous', 'matplotlib', 'dask'):\n"
        "    sys.modules[name] = None\n"
        "import eyelog as el\n"
        "print(len(el.simulate('2026-10-19', 1, log='standard_mode_logs')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1440"
