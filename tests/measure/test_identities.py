"""Laws that every summary keeps, whatever the data: order, masking, scale, parts and whole."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from reference.flags import counter
from support.frames import EYES, MINUTES, frame_of
from support.laws import examples

Ask = Callable[..., Any]
LOGS = [EYES, MINUTES]


def by_gaps(frame: pd.DataFrame) -> str:
    return "gaps" if "isl" in frame else "rms"


# Summaries of a frame; `by` is passed where it is taken.
GROUPED: dict[str, Ask] = {
    "blinks.rate": lambda f, **k: el.blinks.rate(f, limits=el.Limits(min_valid="0s"), **k),
    "blinks.rate, by gaps": lambda f, **k: el.blinks.rate(f, method=by_gaps(f), **k),
    "blinks.rate, corrected": lambda f, **k: el.blinks.rate(
        f, method=by_gaps(f), limits=el.Limits(min_valid="0s"), correct_noise=True, **k
    ),
    "blinks.strength": el.blinks.strength,
    "blinks.duration": el.blinks.duration,
    "gait.pace": el.gait.pace,
    "posture.head_movements": el.posture.head_movements,
    "posture.spread": el.posture.spread,
}
WHOLE: dict[str, Ask] = {
    "resample": lambda f, **k: el.resample(f, "10min", min_coverage=0.2, **k),
    "daily": el.daily,
    "gait.bouts": el.gait.bouts,
    "gait.peak_cadence": el.gait.peak_cadence,
    "posture.zones": el.posture.zones,
    "posture.relative_tilt": el.posture.relative_tilt,
}
# Statements about records, which do not judge.
RECORDS: dict[str, Ask] = {
    "coverage": lambda f: el.coverage(f, by="1h"),
    "gaps": el.gaps,
    "attrition": lambda f: el.attrition(f, recipe="mind" if "vld" in f else "gait"),
}
# Corrected for noise, a rate takes the gaps of noisy intervals too, and needs them unmasked.
CORRECTED = "blinks.rate, corrected"
# The reasons that do not look at the value itself.
CONTEXT = (
    el.Reason.INVALID
    | el.Reason.MOVING
    | el.Reason.STILL
    | el.Reason.UNWORN
    | el.Reason.NOISY
    | el.Reason.OFF_POSE
)


@cache
def hours(log: str, seed: int) -> pd.DataFrame:
    """Return a morning with its way to work, desk and walks."""
    day = el.simulate("2026-10-20", 1, log=log, seed=seed, tz="Asia/Tokyo")
    return el.between_time(day, "06:40", "09:40").drop(columns="between")


def place(frame: pd.DataFrame) -> "pd.Series[Any]":
    return pd.Series(np.where(frame["tl_yav"] > 10, "down", "up"), index=frame.index)


@cache
def answer(name: str, log: str, seed: int, by: str | None = None) -> pd.DataFrame:
    """Return what a morning is answered, which every law compares with."""
    frame = hours(log, seed)
    if by is None:
        return (GROUPED | WHOLE | RECORDS)[name](frame)
    return GROUPED[name](frame, by=place(frame) if by == "place" else by)


@cache
def masked_hours(log: str, seed: int) -> pd.DataFrame:
    return el.mask(hours(log, seed), el.flag(hours(log, seed)))


some_hours = st.tuples(st.sampled_from(LOGS), st.integers(0, 1))
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", [*GROUPED, *WHOLE, *RECORDS])
@examples(3)
@given(some_hours, seeds)
def test_the_order_of_the_rows_changes_nothing(
    name: str, morning: tuple[str, int], seed: int
) -> None:
    frame = hours(*morning)
    shuffled = frame.iloc[np.random.default_rng(seed).permutation(len(frame))]
    if name not in GROUPED:
        assert_frame_equal((WHOLE | RECORDS)[name](shuffled), answer(name, *morning))
        return
    labels = place(frame).loc[shuffled.index].to_numpy()
    for by, same in ((None, None), ("1h", "1h"), ("hour", "hour"), ("place", labels)):
        assert_frame_equal(GROUPED[name](shuffled, by=same), answer(name, *morning, by))


@pytest.mark.parametrize("name", [name for name in (*GROUPED, *WHOLE) if name != CORRECTED])
@examples(4)
@given(some_hours)
def test_masking_first_is_judging(name: str, morning: tuple[str, int]) -> None:
    assert_frame_equal((GROUPED | WHOLE)[name](masked_hours(*morning)), answer(name, *morning))


@cache
def changed_where_judged_away(
    log: str, hours_seed: int, seed: int, against: el.Reason
) -> pd.DataFrame:
    """Return a morning with other values in half of the places that a reason speaks against."""
    frame, rng = hours(log, hours_seed), np.random.default_rng(seed)
    bad = (el.flag(frame).to_numpy() & np.uint16(against)) != 0
    changed = frame.copy()
    counts = {name: counter(name, log) for name in frame.columns}
    numeric = el.fields(log).query("dtype == 'float64'").index
    for i, column in enumerate(frame.columns):
        if column in numeric:
            values = frame[column].to_numpy().copy()
            where = bad[:, i] & (rng.random(len(frame)) < 0.5)
            count = column if column in counts.values() else counts[column]
            if count is not None:
                # Where nothing was counted, the old value of one record is the evidence by which
                # its neighbours are judged stale.
                where &= (frame[count].rolling(3, center=True, min_periods=1).min() > 0).to_numpy()
            values[where] = rng.choice([0.0, 1.0, 17.0, 300.0, -1.0, 1e6], where.sum())
            changed[column] = values
    assert not changed.equals(frame)
    return changed


@pytest.mark.parametrize("name", [*GROUPED, *WHOLE])
@examples(4)
@given(some_hours, seeds)
def test_a_value_that_is_judged_away_never_changes_an_answer(
    name: str, morning: tuple[str, int], seed: int
) -> None:
    against = CONTEXT & ~(el.Reason.NOISY | el.Reason.INVALID) if name == CORRECTED else CONTEXT
    changed = changed_where_judged_away(*morning, seed, against)
    assert_frame_equal((GROUPED | WHOLE)[name](changed), answer(name, *morning))


# Functions of one Series

values_ = st.lists(st.floats(-100, 100).map(lambda x: round(x, 2)), min_size=48, max_size=96)
SERIES: dict[str, Ask] = {
    "interdaily_stability": el.rhythm.interdaily_stability,
    "intradaily_variability": el.rhythm.intradaily_variability,
    "most_active": el.rhythm.most_active,
    "least_active": lambda s: el.rhythm.least_active(s, night_worn=True),
    "cosinor": el.rhythm.cosinor,
    "profile": el.rhythm.profile,
    "typical_value": el.baseline.typical_value,
    "trend": el.baseline.trend,
}
STATES: dict[str, Ask] = {
    "sleep_regularity": lambda s: el.rhythm.sleep_regularity(s, night_worn=True),
    "fragmentation": el.rhythm.fragmentation,
}


def hourly(values: Any) -> pd.Series:
    index = pd.date_range("2026-10-19", periods=len(values), freq="h", tz="Asia/Tokyo")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, pd.Series):
        return bool(one.dropna().equals(other.dropna()))
    if isinstance(one, pd.DataFrame):
        return bool(one.equals(other))
    return all(a == b or (a != a and b != b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", SERIES | STATES)
@examples(10)
@given(values_, st.data())
def test_a_missing_value_is_as_good_as_no_row(
    name: str, values: list[float], data: st.DataObject
) -> None:
    series = hourly(values)
    if name in STATES:
        series = (series > 0).astype(float)
    # The first and the last stay, so that the span does, and enough for the step to be known.
    gone = data.draw(st.sets(st.integers(1, len(series) - 2), max_size=15))
    masked = series.copy()
    masked.iloc[list(gone)] = np.nan
    ask = (SERIES | STATES)[name]
    assert same(ask(masked), ask(series.drop(series.index[list(gone)])))


def test_what_needs_no_clock_does_not_depend_on_the_order() -> None:
    series = hourly([float(h % 7) ** 2 for h in range(72)])
    shuffled = series.sample(frac=1, random_state=1)
    one, two = el.baseline.typical_value(series), el.baseline.typical_value(shuffled)
    assert two[:9] == pytest.approx(one[:9])


@pytest.mark.parametrize("name", [name for name in SERIES | STATES if name != "typical_value"])
def test_a_series_out_of_order_is_refused_and_not_sorted_in_silence(name: str) -> None:
    series = hourly([float(h % 2) for h in range(72)]).sample(frac=1, random_state=1)
    with pytest.raises(el.ConfigurationError, match="in order"):
        (SERIES | STATES)[name](series)


factors = st.floats(0.01, 50).map(lambda x: round(x, 3))
shifts = st.floats(-100, 100).map(lambda x: round(x, 2))


@examples(12)
@given(values_.filter(lambda v: np.ptp(v) > 1), factors, shifts)
def test_what_has_the_unit_of_the_series_scales_with_it(
    values: list[float], factor: float, shift: float
) -> None:
    series = hourly(values)
    other = series * factor + shift
    close = {"rel": 1e-6, "abs": 1e-6, "nan_ok": True}
    fit, fits = el.rhythm.cosinor(series), el.rhythm.cosinor(other)
    assert fits.mesor == pytest.approx(fit.mesor * factor + shift, **close)
    for name in ("amplitude", "mesor_se", "amplitude_se"):
        assert getattr(fits, name) == pytest.approx(getattr(fit, name) * factor, **close)
    assert fits.p == pytest.approx(fit.p, **close)
    if fit.amplitude > 1e-3:
        assert (fits.peak_h - fit.peak_h + 12) % 24 - 12 == pytest.approx(0, abs=1e-4)
    for ask in (el.rhythm.most_active, lambda s: el.rhythm.least_active(s, night_worn=True)):
        assert ask(other).mean == pytest.approx(ask(series).mean * factor + shift, **close)
    slope, slopes = el.baseline.trend(series), el.baseline.trend(other)
    for name in ("slope", "low", "high"):
        assert getattr(slopes, name) == pytest.approx(getattr(slope, name) * factor, **close)
    for method in ("q90", "q99", "median"):
        one, two = (el.baseline.typical_value(s, method=method).value for s in (series, other))
        assert two == pytest.approx(one * factor + shift, **close)
    # Of two peaks of one height rounding would choose: a power of two does not round.
    one, two = (el.baseline.typical_value(s, method="peak").value for s in (series, series * 4))
    assert two == one * 4


@examples(25)
@given(values_.filter(lambda v: np.ptp(v) > 1), factors)
def test_a_relative_amplitude_has_no_unit(values: list[float], factor: float) -> None:
    series = hourly(np.abs(values) + 1)
    one, two = (el.rhythm.relative_amplitude(s, night_worn=True) for s in (series, series * factor))
    assert two.ra == pytest.approx(one.ra)
    assert 0 <= one.ra <= 1


@given(st.lists(st.booleans(), min_size=30, max_size=80), st.integers(2, 4))
def test_states_read_the_other_way_or_more_finely_have_the_same_rhythm(
    states: list[bool], finer: int
) -> None:
    series = hourly(states)
    one, two = (el.rhythm.sleep_regularity(s, night_worn=True) for s in (series, 1 - series))
    assert two.sri == one.sri
    stretched = pd.Series(
        np.repeat(series.to_numpy(), finer),
        index=pd.date_range("2026-10-19", periods=len(states) * finer, freq="min", tz="UTC"),
    )
    bouts, long = el.rhythm.fragmentation(series), el.rhythm.fragmentation(stretched)
    assert long.n == bouts.n
    assert long.mean_bout == pytest.approx(bouts.mean_bout * finer, nan_ok=True)
    assert long.gini == pytest.approx(bouts.gini, nan_ok=True)
    assert long.hazard == pytest.approx(bouts.hazard, nan_ok=True)


# Parts and whole, counts and their scale

blinks = st.lists(st.integers(40, 200), max_size=6)


@examples(15)
@given(st.lists(blinks, min_size=2, max_size=12), st.integers(1, 11))
def test_the_sd_of_blinks_from_parts_is_that_of_the_whole(
    intervals: list[list[int]], cut: int
) -> None:
    frame = frame_of(
        EYES,
        {
            "bk_n": [float(len(each)) for each in intervals],
            "bkh_av": [float(np.mean(each)) if each else np.nan for each in intervals],
            "bkh_sd": [float(np.std(each)) if each else np.nan for each in intervals],
        },
    )
    every = np.concatenate([each for each in intervals if each] or [[]])
    row = el.blinks.strength(frame).iloc[0]
    if not every.size:
        assert np.isnan(row["strength_sd_total_uv"])
        return
    assert row["strength_uv"] == pytest.approx(every.mean())
    assert row["strength_sd_total_uv"] == pytest.approx(every.std(), abs=1e-5)
    label = np.where(np.arange(len(frame)) < cut, "before", "after")
    parts = el.blinks.strength(frame, by=label).query("n > 0")
    n, mean = parts["n"], parts["strength_uv"]
    squares = n * (parts["strength_sd_total_uv"] ** 2 + (mean - every.mean()) ** 2)
    assert np.sqrt(squares.sum() / n.sum()) == pytest.approx(every.std(), abs=1e-5)


@examples(10)
@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 60), st.integers(0, 9)),
        min_size=2,
        max_size=20,
    ),
    st.integers(2, 3),
)
def test_twice_the_steps_in_the_same_time_are_twice_the_pace(
    minutes: list[tuple[int, int, int]], factor: int
) -> None:
    def pace(times: int) -> pd.Series:
        steps, walked, moves = (np.array(part, dtype=float) for part in zip(*minutes, strict=True))
        rows = {"stp_fst": steps * 0, "stp_mid": steps * times, "stp_slw": steps * 0}
        rows |= {"stp_vsl": steps * times, "stp_s": walked, "hm_po": moves, "hm_yo": moves * times}
        frame = frame_of(MINUTES, {name: part.tolist() for name, part in rows.items()})
        found = el.gait.pace(frame, limits=el.Limits(min_walked_for_pace="0s")).iloc[0]
        return pd.concat([found, el.posture.head_movements(frame).iloc[0][["yaw_per_h"]]])

    once, more = pace(1), pace(factor)
    for name in ("pace_spm", "yaw_per_h"):
        assert more[name] == pytest.approx(once[name] * factor, nan_ok=True)
    assert more["exposure_min"] == once["exposure_min"]


@given(st.floats(0.1, 90), st.floats(0.1, 90), factors)
def test_symmetry_has_no_unit_and_no_side(right: float, left: float, factor: float) -> None:
    once = el.gait.symmetry(right, left)
    for other in (el.gait.symmetry(right * factor, left * factor), el.gait.symmetry(left, right)):
        assert tuple(other) == pytest.approx(tuple(once), abs=1e-7)
