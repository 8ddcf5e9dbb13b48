"""Agreement of the two logs: published limits, overlapping grids, masked values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from scipy import stats

import eyelog as el
from support.frames import EYES, MINUTES, at, frame_of
from support.laws import examples

# Peak expiratory flow (l/min), first reading of each meter (Bland & Altman 1986, Lancet i:307).
LARGE = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]


MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]


def test_the_peak_flow_meters_of_bland_and_altman_agree_as_published() -> None:
    found = el.compare.limits_of_agreement(LARGE, MINI)
    assert (round(found.bias, 1), round(found.sd, 1), found.n) == (-2.1, 38.8, 17)
    # The paper rounds 1.96 to 2: -79.7 and 75.5 l/min from the rounded bias and SD.
    assert round(round(found.bias, 1) - 2 * round(found.sd, 1), 1) == -79.7
    assert round(round(found.bias, 1) + 2 * round(found.sd, 1), 1) == 75.5
    assert (round(found.bias_low, 1), round(found.bias_high, 1)) == (-22.0, 17.8)
    # pingouin 0.7 and statsmodels 0.15 (mean_diff_plot) draw the limits at bias -+ 1.96 SD.
    assert found.low == pytest.approx(-2.1176470588 - 1.96 * 38.7651298736)


def test_the_intervals_of_the_limits_are_those_of_the_blood_pressures_of_1999() -> None:
    # Bland & Altman 1999, section 2: n = 85, mean -16.29, SD 19.61 mmHg; limits -54.7 (-61.9 to
    # -47.5) and 22.1 (14.9 to 29.3).
    shape = np.random.default_rng(3).normal(size=85)
    values = -16.29 + 19.61 * (shape - shape.mean()) / shape.std(ddof=1)
    found = el.compare.limits_of_agreement(values, np.zeros(85))
    assert (round(found.low, 1), round(found.high, 1)) == (-54.7, 22.1)
    published = {"low_low": -61.9, "low_high": -47.5, "high_low": 14.9, "high_high": 29.3}
    for name, value in published.items():  # the paper adds rounded numbers
        assert getattr(found, name) == pytest.approx(value, abs=0.11), name


floats = st.floats(-1e3, 1e3).map(lambda v: round(v, 3))


pairs = st.lists(st.tuples(floats, floats), min_size=3, max_size=30)


@given(pairs, st.floats(0.1, 20), st.floats(-50, 50))
@examples(25)
def test_limits_follow_unit_zero_order_and_sides(values, scale, shift) -> None:
    one, other = (np.array(side) for side in zip(*values, strict=True))
    found = el.compare.limits_of_agreement(one, other)
    near = {"rel": 1e-6, "abs": 1e-6}
    other_unit = el.compare.limits_of_agreement(one * scale + shift, other * scale + shift)
    assert other_unit.low == pytest.approx(found.low * scale, **near)
    assert el.compare.limits_of_agreement(one + shift, other).bias == pytest.approx(
        found.bias + shift, **near
    )
    turned = el.compare.limits_of_agreement(other, one)
    assert turned.high == pytest.approx(-found.low, **near)
    shuffled = np.random.default_rng(0).permutation(len(one))
    assert el.compare.limits_of_agreement(one[shuffled], other[shuffled]).sd == pytest.approx(
        found.sd, **near
    )
    assert el.compare.limits_of_agreement(np.append(one, np.nan), np.append(other, 5.0)) == found


def test_two_pairs_are_too_few() -> None:
    found = el.compare.limits_of_agreement([1, 2, np.nan], [1, 1, 1])
    assert np.isnan(found.bias)
    assert (found.n, found.reason) == (2, "fewer than 3 pairs were observed")


def both(steps: list[float], classes: list[float], *, shift_s: int = 0) -> pd.DataFrame:
    """Return the report on steps: 15-second records against minutes (all in one class)."""
    fifteen = frame_of(EYES, {"stp": steps, "hm_po": [1] * len(steps)})
    if shift_s:
        moved = fifteen.index + pd.Timedelta(shift_s, "s")
        fifteen = at(fifteen, [stamp.isoformat() for stamp in moved])
    none = [0] * len(classes)
    sixty = frame_of(
        MINUTES,
        {
            "stp_fst": classes,
            "stp_mid": none,
            "stp_slw": none,
            "stp_vsl": none,
            "hm_po": [4] * len(classes),
            "stp_s": [50] * len(classes),
        },
    )
    return el.compare.agreement(fifteen, sixty)


def test_four_records_make_a_minute() -> None:
    table = both([1, 2, 3, 4] * 4, [10, 10, 9, 11])
    row = table.loc["steps"]
    assert (row["n"], row["bias"], row["mean_fifteen"]) == (4, 0.0, 10.0)
    assert row["sd"] == pytest.approx(np.std([0, 0, 1, -1], ddof=1))
    assert table.loc["head_moves_pitch", "bias"] == 0
    assert table.loc["steps", "unit"] == "count/min"
    assert (row["exposure_h"], row["coverage"]) == (pytest.approx(4 / 60), 1.0)


def test_a_record_counts_for_a_minute_by_the_share_that_lies_in_it() -> None:
    # Records close 5 s before the grid of the minute: it takes 10 of 15 s of the first that
    # reaches into it, three whole ones, and 5 of 15 s of the next. 2/3 * 3 + 6 + 9 + 12 + 1/3 * 3.
    row = both([3.0, 6, 9, 12] * 5, [30.0] * 5, shift_s=-5).loc["steps"]
    assert row["n"] == 4  # the last 5 seconds of the fifth minute have no record
    assert row["mean_fifteen"] == pytest.approx(30.0)
    assert row["sd"] == pytest.approx(0.0, abs=1e-9)
    late = both([3.0, 0, 0, 0] * 5, [3.0] * 5, shift_s=5)
    assert late.loc["steps", "n"] == 4  # the first minute lacks its first 5 seconds
    assert late.loc["steps", "mean_fifteen"] == pytest.approx(3.0)


def test_a_minute_without_one_of_its_records_is_not_compared() -> None:
    fifteen = frame_of(EYES, {"hm_po": [1] * 20})
    sixty = frame_of(MINUTES, {"hm_po": [4] * 5})
    assert el.compare.agreement(fifteen, sixty).loc["head_moves_pitch", "n"] == 5
    assert (
        el.compare.agreement(fifteen.drop(fifteen.index[6]), sixty).loc["head_moves_pitch", "n"]
        == 4
    )
    masked = fifteen.copy()
    masked.loc[masked.index[6], "hm_po"] = np.nan
    assert el.compare.agreement(masked, sixty).loc["head_moves_pitch", "n"] == 4


def test_averages_are_weighted_by_their_count_and_leave_out_records_with_none() -> None:
    fifteen = frame_of(EYES, {"st_r": [1.0, np.nan, 2.0, np.nan] * 3, "stp": [30, 0, 10, 0] * 3})
    steps = {
        name: [40 if name == "stp_fst" else 0] * 3
        for name in ("stp_fst", "stp_mid", "stp_slw", "stp_vsl")
    }
    sixty = frame_of(MINUTES, {"st_r": [1.0] * 3, "stp_s": [30] * 3, **steps})
    row = el.compare.agreement(fifteen, sixty).loc["landing_right"]
    assert (row["n"], row["mean_fifteen"], row["unit"]) == (3, 1.25, "G")


def test_tilt_is_compared_on_the_circle() -> None:
    fifteen = frame_of(EYES, {"tl_yav": [179.0, -179.0] * 8})
    sixty = frame_of(MINUTES, {"tl_yav": [-178.0, 178.0, -178.0, 178.0]})
    anywhere = el.Limits(tilt_fore_aft_deg=(-180, 180))
    row = el.compare.agreement(fifteen, sixty, limits=anywhere).loc["tilt_fore_aft"]
    assert abs(row["bias"]) < 1e-6
    assert row["sd"] == pytest.approx(np.sqrt(4 * 4 / 3))


def test_a_value_that_is_masked_never_changes_the_report() -> None:
    fifteen, sixty = el.sample().iloc[:3000], el.sample(MINUTES).iloc[:1200]
    found = el.compare.agreement(fifteen, sixty)
    off = fifteen["isl"].to_numpy(dtype=bool)
    changed = fifteen.copy()
    changed.loc[off, ["hm_po", "tl_yav", "bk_n", "st_r"]] = 1.0
    pd.testing.assert_frame_equal(el.compare.agreement(changed, sixty), found)
    judged = el.compare.agreement(
        el.mask(fifteen, el.flag(fifteen)), el.mask(sixty, el.flag(sixty))
    )
    pd.testing.assert_frame_equal(judged, found)


def test_the_simulated_logs_agree_without_bias_on_what_was_simulated_alike() -> None:
    table = el.compare.agreement(el.sample(), el.sample(MINUTES))
    alike = ["worn", "noise", "steps", "head_moves_pitch", "head_moves_yaw", "tilt_fore_aft"]
    for name in alike:
        row = table.loc[name]
        assert row["bias_low"] - 0.02 <= 0 <= row["bias_high"] + 0.02, name
        assert row["n"] > 3000
    assert table.loc["blinks_weak", "bias"] < table.loc["blinks_strong", "bias"]
    assert (table["reason"] == "").all()
    assert (table["low_low"] < table["low"]).all()
    assert (table["low"] < table["bias_low"]).all()


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
def test_a_row_names_the_fields_that_a_frame_lacks() -> None:
    table = el.compare.agreement(
        el.sample()[["stp", "hm_po"]], el.sample(MINUTES)[["stp_fst", "hm_po"]]
    )
    assert table.loc["steps", "reason"] == "the 60-second frame lacks stp_mid, stp_slw, stp_vsl"
    assert table.loc["worn", "reason"] == (
        "the 15-second frame lacks isl; the 60-second frame lacks wea_s"
    )
    assert table.loc["head_moves_pitch", "n"] > 0
    assert np.isnan(table.loc["steps", "bias"])


def test_logs_that_share_no_minute_give_missing_rows_of_the_same_shape() -> None:
    fifteen, sixty = el.sample().iloc[:3000], el.sample(MINUTES).iloc[:1200]
    full = el.compare.agreement(fifteen, sixty)
    for table in (
        el.compare.agreement(fifteen.iloc[:0], sixty),
        el.compare.agreement(fifteen, sixty.iloc[:0]),
        el.compare.agreement(fifteen, sixty.tz_convert("UTC").shift(freq="700D")),
    ):
        assert table.dtypes.to_dict() == full.dtypes.to_dict()
        assert (table["n"] == 0).all()
        assert table["bias"].isna().all()
        assert (table["reason"] != "").all()


def test_swapped_or_mixed_logs_are_refused() -> None:
    fifteen, sixty = el.sample(), el.sample(MINUTES)
    with pytest.raises(el.MixedLogsError, match="15-second log"):
        el.compare.agreement(sixty, fifteen)
    with pytest.raises(el.MixedLogsError, match="60-second log"):
        el.compare.agreement(fifteen, fifteen)
    with pytest.raises(el.MixedLogsError):
        el.compare.agreement(pd.concat([fifteen, sixty]), sixty)
    with pytest.raises(el.ConfigurationError, match="takes records"):
        el.compare.agreement(el.resample(fifteen, "1min"), sixty)
    with pytest.raises(el.ConfigurationError, match="pairs"):
        el.compare.limits_of_agreement([1, 2], [1, 2, 3])
    with pytest.raises(el.ConfigurationError, match="numbers"):
        el.compare.limits_of_agreement(["a"], ["b"])


@pytest.fixture(scope="module")
def logs() -> dict[str, pd.DataFrame]:
    made = {
        log: el.simulate("2026-10-19", 1, log=log, tz="Asia/Tokyo", seed=3)
        for log in ("computed_data", "standard_mode_logs")
    }
    return {"fifteen": made["computed_data"], "sixty": made["standard_mode_logs"]}


@pytest.fixture(scope="module")
def report(logs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return el.compare.agreement(**logs)


@pytest.mark.parametrize("quantity", ["steps", "tilt_fore_aft", "blinks_weak", "worn"])
def test_the_pairs_are_those_that_the_report_summarises(logs, report, quantity: str) -> None:
    pairs = el.compare.minute_pairs(**logs, quantity=quantity)
    row = report.loc[quantity]
    assert len(pairs) == row["n"]
    # The bias of directions is a mean on the circle, here next to the mean of the differences.
    assert pairs["difference"].mean() == pytest.approx(row["bias"], abs=1e-4)
    assert pairs.index.isin(logs["sixty"].index).all()
    apart = (pairs["mean"] - (pairs["fifteen"] + pairs["sixty"]) / 2) % 180
    assert np.minimum(apart, 180 - apart).max() == pytest.approx(0, abs=1e-9)


def test_pairs_of_a_quantity_that_is_not_there_are_refused(logs) -> None:
    with pytest.raises(el.ConfigurationError, match="did you mean 'steps'"):
        el.compare.minute_pairs(**logs, quantity="step")
    short = logs["fifteen"].drop(columns="stp")
    with pytest.raises(el.FieldError, match="15-second frame lacks stp"):
        el.compare.minute_pairs(short, logs["sixty"], quantity="steps")


def test_masked_logs_agree_as_the_records_do_also_in_their_worn_seconds() -> None:
    frames = [el.simulate("2026-10-19", 1, log=log, seed=4, tz="UTC") for log in (EYES, MINUTES)]
    masked = [el.mask(frame, el.flag(frame)) for frame in frames]
    of_records = el.compare.agreement(*frames)
    for ours in (masked, [pd.DataFrame(frame.copy()) for frame in masked]):
        pd.testing.assert_frame_equal(el.compare.agreement(*ours), of_records)


def repeated(between: float, seed: int, *, wearers: int = 10, pairs: int = 60) -> pd.DataFrame:
    """Return pairs of several wearers, whose differences vary between them and within them."""
    generator = np.random.default_rng(seed)
    minutes = pd.date_range("2026-10-19 09:01", periods=pairs, freq="min", tz="UTC")
    own = generator.normal(0, between, (wearers, 1)) + generator.normal(size=(wearers, pairs))
    names = [f"p{number:02}" for number in range(wearers)]
    index = pd.MultiIndex.from_product([names, minutes], names=["account", "date"])
    return pd.DataFrame({"difference": own.ravel()}, index=index)


def test_several_wearers_have_the_variances_of_the_one_way_analysis() -> None:
    pairs = repeated(1.0, 3)
    found = el.compare.limits_of_agreement(pairs)
    assert (found.units, found.n_units, found.n) == ("wearers", 10, 600)
    means = pairs["difference"].groupby(level="account").mean()
    within = pairs["difference"].groupby(level="account").var().mean()
    assert found.bias == pytest.approx(means.mean())
    assert found.sd == pytest.approx(np.sqrt(means.var() + (1 - 1 / 60) * within))
    # The interval of the bias is that of ten means, not of 600 pairs.
    reach = stats.t.ppf(0.975, 9) * means.std() / np.sqrt(10)
    assert found.bias_high - found.bias == pytest.approx(reach)
    # MOVER (Zou 2013): each variance keeps its own distance to the ends of its interval.
    parts = np.array([means.var(), (1 - 1 / 60) * within])
    freedom = np.array([9, 590])
    low, high = (freedom / stats.chi2.ppf(q, freedom) for q in (0.975, 0.025))
    whole = parts.sum()
    least = np.sqrt(whole - np.hypot(*(parts * (1 - low))))
    most = np.sqrt(whole + np.hypot(*(parts * (high - 1))))
    outer = np.hypot(reach, 1.96 * (most - found.sd))
    inner = np.hypot(reach, 1.96 * (found.sd - least))
    assert found.high_high - found.high == pytest.approx(outer, rel=1e-3)
    assert found.high - found.high_low == pytest.approx(inner, rel=1e-3)
    assert found.low - found.low_low == pytest.approx(outer, rel=1e-3)
    assert found.low_high - found.low == pytest.approx(inner, rel=1e-3)
    small = el.compare.limits_of_agreement(pairs / 1000)  # they follow the unit
    assert np.array(small[:10]) * 1000 == pytest.approx(np.array(found[:10]))


def test_one_wearer_among_several_levels_is_one_wearer() -> None:
    pairs = repeated(1.0, 3, wearers=1, pairs=240)
    found = el.compare.limits_of_agreement(pairs)
    assert (found.units, found.n_units) == ("blocks of 1h", 4)
    assert found == el.compare.limits_of_agreement(pairs.droplevel("account"))


def test_days_are_the_units_of_one_wearer_from_six_of_them_on() -> None:
    days = [pd.date_range(f"2026-10-{19 + day} 09:01", periods=90, freq="min") for day in range(6)]
    index = pd.DatetimeIndex(np.concatenate(days)).tz_localize("Asia/Tokyo")
    values = np.random.default_rng(2).normal(size=540)
    pairs = pd.DataFrame({"difference": values}, index=index)
    assert el.compare.limits_of_agreement(pairs)[-3:-1] == ("days", 6)
    assert el.compare.limits_of_agreement(pairs.iloc[:450])[-3:-1] == ("blocks of 1h", 10)
    assert el.compare.limits_of_agreement(pairs.iloc[:450], block="30min")[-3:-1] == (
        "blocks of 30min",
        15,
    )
    alone = el.compare.limits_of_agreement(pairs, block=None)
    assert alone[-3:-1] == ("pairs", 540)
    assert alone == el.compare.limits_of_agreement(values, np.zeros(540))
    assert alone.bias == pytest.approx(el.compare.limits_of_agreement(pairs).bias)


def test_two_wearers_have_limits_and_no_intervals() -> None:
    found = el.compare.limits_of_agreement(repeated(1.0, 3, wearers=2))
    assert np.isfinite([found.bias, found.low, found.high]).all()
    assert np.isnan([found.bias_low, found.low_low, found.high_high]).all()
    assert found.reason == "fewer than 3 wearers: no interval"


def test_a_table_without_differences_is_refused() -> None:
    with pytest.raises(el.FieldError, match="no column 'difference'"):
        el.compare.limits_of_agreement(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(el.ConfigurationError, match="or both measurements"):
        el.compare.limits_of_agreement([1.0, 2.0])
    with pytest.raises(el.ConfigurationError, match="block must be"):
        el.compare.limits_of_agreement(repeated(1.0, 3), block="often")


def test_units_are_those_of_the_pairs_that_are_there() -> None:
    pairs = el.compare.minute_pairs(
        el.sample(), el.sample("standard_mode_logs"), quantity="tilt_fore_aft"
    )
    two = pd.concat({"ada": pairs, "ben": pairs.assign(difference=np.nan)}, names=["account"])
    found = el.compare.limits_of_agreement(two)
    assert found == el.compare.limits_of_agreement(two.dropna(subset="difference"))
    assert found.units == "days"


STRICT = el.Limits(max_noise="1s", min_worn="50s")


AROUND = {"before": "5min", "after": "5min", "fields": "hm_yo"}


@pytest.fixture(scope="module")
def masked(logs: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {log: el.mask(one, el.flag(one, limits=STRICT)) for log, one in logs.items()}


def calls(frames: dict[str, pd.DataFrame]) -> dict:
    both, sixty = list(frames.values()), frames["sixty"]
    times = sixty.index[600:900:100]
    return {
        "agreement": lambda **of: el.compare.agreement(*both, **of),
        "minute_pairs": lambda **of: el.compare.minute_pairs(*both, quantity="worn", **of),
        "events": lambda **of: el.compare.events(sixty, times, **AROUND, **of),
        "event_courses": lambda **of: el.compare.event_courses(sixty, times, **AROUND, **of),
        "mixed_table": lambda **of: el.compare.mixed_table({"ada": sixty}, **of),
    }


@pytest.mark.parametrize(
    "name", ["agreement", "minute_pairs", "events", "event_courses", "mixed_table"]
)
def test_frames_masked_with_other_limits_give_what_these_limits_give_of_the_records(
    name: str, logs: dict[str, pd.DataFrame], masked: dict[str, pd.DataFrame]
) -> None:
    of_records, of_masked = calls(logs)[name], calls(masked)[name]
    assert_frame_equal(of_masked(limits=STRICT), of_records(limits=STRICT))
    with pytest.raises(el.ConfigurationError, match="masked with other limits: pass limits="):
        of_masked()
    if name in ("agreement", "mixed_table"):  # the limits make a difference
        with pytest.raises(AssertionError):
            assert_frame_equal(of_records(limits=STRICT), of_records())
