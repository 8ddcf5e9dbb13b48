"""Longer intervals: the rules, the edges, the coverage, and what holds when done twice."""

import io
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.analysis.grouped.summary import BIN_COLUMNS
from eyelog.catalogue import catalogue
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from eyelog.frame import interval_seconds
from eyelog.provenance import history
from support.frames import EYES, MINUTES, at, frame_of, frames

SUMS = [name for name, field in catalogue(EYES).items() if field.agg in ("sum", "max", "last")]


def one(frame: pd.DataFrame, name: str, **options: object) -> float:
    table = el.resample(frame, "1min", **options)  # type: ignore[arg-type]
    assert len(table) == 1
    return float(table[name].iloc[0])


def test_counts_add_up() -> None:
    assert one(frame_of(EYES, {"re_u": [1, 2, 3, 4]}), "re_u") == 10


def test_the_largest_stays_the_largest() -> None:
    assert one(frame_of(EYES, {"bkh_max": [90, 300, 2, 4], "bk_n": [1, 2, 3, 4]}), "bkh_max") == 300


def test_the_last_level_is_kept_although_later_ones_are_missing() -> None:
    assert one(frame_of(EYES, {"bl": [5, 4, 3, None]}), "bl") == 3


def test_scores_average_without_their_sentinel() -> None:
    assert one(frame_of(EYES, {"sc_fcs": [-1, 80, 60, -1]}), "sc_fcs") == 70


def test_booleans_become_the_share_that_is_true() -> None:
    assert one(frame_of(EYES, {"isl": [True, False, False, False]}), "isl") == 0.25


def test_blink_strength_is_weighted_by_blinks_and_its_sd_pools() -> None:
    frame = frame_of(
        EYES, {"bk_n": [1, 3, 0, 0], "bkh_av": [40, 80, 7, 9], "bkh_sd": [2, 4, 50, 60]}
    )
    assert one(frame, "bkh_av") == (40 + 3 * 80) / 4
    assert one(frame, "bkh_sd") == pytest.approx(np.sqrt((4 + 3 * 16) / 4))


def test_gait_of_the_minute_log_is_weighted_by_all_steps() -> None:
    steps = {"stp_fst": [0, 60], "stp_mid": [100, 0], "stp_slw": [0, 30], "stp_vsl": [0, 10]}
    frame = frame_of(MINUTES, steps | {"stp_s": [60, 60], "st_r": [1.0, 2.0]})
    assert el.resample(frame, "2min")["st_r"].tolist() == [1.5]


def test_tilt_averages_on_the_circle() -> None:
    frame = frame_of(EYES, {"tl_xav": [175, -175, 175, -175]})
    assert abs(one(frame, "tl_xav", judge=False)) == pytest.approx(180)


def test_values_that_speak_against_themselves_are_taken_out_first() -> None:
    frame = frame_of(EYES, {"re_u": [1, 1, 1, 1], "isl": [True, False, False, False]})
    assert one(frame, "re_u") == 3
    with pytest.raises(ConfigurationError, match=r"'re_u' holds values of time .* not worn, 1 t"):
        one(frame, "re_u", judge=False)
    assert one(frame.assign(isl=False), "re_u", judge=False) == 4


def test_a_bin_below_the_least_coverage_has_no_value_but_its_coverage() -> None:
    frame = frame_of(EYES, {"re_u": [1, 2, 3, 4]}).iloc[:1]
    table = el.resample(frame, "1min")
    assert table["re_u"].isna().all()
    assert table[["n", "coverage", "exposure_min"]].iloc[0].tolist() == [1, 0.25, 0.25]
    assert el.resample(frame, "1min", min_coverage=0.25)["re_u"].tolist() == [1]


def test_a_weighted_field_is_covered_where_its_weight_is() -> None:
    frame = frame_of(EYES, {"stp": [0, 0, 0, 20], "cad": [None, None, None, 100]})
    assert one(frame, "cad") == 100


def test_bins_without_records_are_rows_without_values() -> None:
    frame = at(frame_of(EYES, {"re_u": [1, 2]}), ["2026-10-20T10:00:15Z", "2026-10-20T10:02:15Z"])
    table = el.resample(frame, "1min", min_coverage=0)
    assert table["n"].tolist() == [1, 0, 1]
    assert table["coverage"].tolist() == [0.25, 0, 0.25]
    assert table["re_u"].tolist()[::2] == [1, 2]
    about = table.pop("recorded_min"), table.pop("bin_s"), table.pop("closing_alone")
    assert [column.tolist() for column in about] == [[0.25, 0, 0.25], [60] * 3, [False] * 3]
    assert table.drop(columns=["n", "coverage"]).iloc[1].isna().all()


CARRIED = ("_total", "_weight", "_pitch_min", "_yaw_min", "horizontal_min", "vertical_min")


def test_sums_stay_whole_beside_those_that_coverage_makes_missing() -> None:
    frame = frame_of(EYES, {"stp": [7, None, None, None, 9, 0, 0, 0], "cad": [100] * 8})
    bins = el.resample(frame, "1min")
    assert bins["stp"].fillna(-1).tolist() == [-1, 9]
    assert bins["stp_total"].tolist() == [7, 9]
    assert el.resample(bins, "2min")["stp"].tolist() == [16]
    assert el.daily(bins)["steps"].tolist() == [16]
    assert "stp_total" not in el.resample(frame, "1min", min_coverage=0)
    assert "stp_total" not in history(el.resample(bins, "2min"))[-1]["left_out"]


def test_a_weight_without_its_value_weighs_nothing_in_bins_of_bins() -> None:
    rows = {"bk_n": [1, 3, 2, 2], "bkw_av": [100.0, None, 200.0, 200.0]}
    frame = frame_of(EYES, rows)
    bins = el.resample(frame, "30s", min_coverage=0)
    assert bins["bk_n"].tolist() == [4, 4]
    assert bins["bkw_av_weight"].tolist() == [1, 4]
    assert el.resample(bins, "1min")["bkw_av"].tolist() == [180]
    assert el.resample(frame, "1min")["bkw_av"].tolist() == [180]


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_movements_per_hour_of_bins_are_those_of_the_records(log: str) -> None:
    frame = el.sample(log)
    names = [name for name in el.daily(frame) if "moves" in name]
    straight = el.daily(frame)[names]
    for share in (0, 0.5, 1):
        through = el.daily(el.resample(frame, "1h", min_coverage=share))[names]
        np.testing.assert_allclose(through, straight, rtol=1e-9)


def test_the_provenance_says_how_bins_are_stamped() -> None:
    frame = frame_of(EYES, {"re_u": [1] * 8})
    assert history(el.resample(frame, "1min"))[-1]["stamp"] == "end"
    assert history(el.resample(frame, "1min", stamp="start"))[-1]["stamp"] == "start"


def test_a_day_of_the_boundary_record_alone_is_no_day_of_bins_either() -> None:
    frame = at(frame_of(EYES, {"re_u": [1] * 3}), [f"2026-10-2{d}T00:00:00Z" for d in (0, 1, 2)])
    frame = pd.concat([frame.iloc[:1], frame_of(EYES, {"re_u": [1] * 3})])
    frame.attrs = {"eyelog": {"log": EYES, "history": []}}
    early = at(frame.iloc[:1], ["2026-10-19T23:58:00Z"])  # the same bin, but not its end
    for first, days in ((frame.iloc[:1], 1), (early, 2)):
        records = pd.concat([first, frame.iloc[1:]])
        records.attrs = dict(frame.attrs)
        assert len(el.daily(records)) == days
        bins = el.resample(records, "10min")
        found = el.daily(bins)
        assert len(found[found["n"] > 0]) == days
        assert len(found) == days


def test_the_columns_are_the_fields_in_order_and_then_what_they_rest_on() -> None:
    frame = el.sample()
    table = el.resample(frame, "1h")
    fields = [name for name in frame.columns if name != "gw"]
    assert [name for name in table if not name.endswith(CARRIED)] == [*fields, *BIN_COLUMNS]
    last = ["n", "recorded_min", "exposure_min", "coverage", "bin_s", "closing_alone"]
    assert list(table.columns[-6:]) == last
    assert table.dtypes.drop(["n", "closing_alone"]).eq("float64").all()
    assert (table["n"].dtype, table["closing_alone"].dtype) == ("int64", "bool")
    assert history(table)[-1]["left_out"] == ["gw"]
    assert history(table)[-1]["every"] == "1h"
    assert interval_seconds(table) == 3600.0


def test_no_rows_give_an_empty_table_of_the_same_shape() -> None:
    frame = el.sample("standard_mode_logs")
    full, none = el.resample(frame, "10min"), el.resample(frame.iloc[:0], "10min")
    assert len(none) == 0
    # But for what bins carry besides, which is there only where it is needed.
    full = full[[name for name in full if not name.endswith(CARRIED)]]
    assert none.dtypes.equals(full.dtypes)
    assert none.index.dtype == full.index.dtype
    assert none.index.name == "date"


def test_a_field_without_its_weight_is_refused_by_name() -> None:
    with pytest.raises(FieldError, match=r"'bkw_av' needs 'bk_n"):
        el.resample(frame_of(EYES, {"bkw_av": [120]}), "1min")


def test_the_two_logs_in_one_frame_are_refused() -> None:
    frame = frame_of(EYES, {"re_u": [1, 2]})
    frame = frame.assign(wea_s=60.0)
    with pytest.raises(MixedLogsError):
        el.resample(frame, "1min")


@pytest.mark.parametrize("every", ["5s", "20s", "7s"])
def test_a_width_that_cuts_intervals_is_refused(every: str) -> None:
    with pytest.raises(ConfigurationError, match="whole multiple of 15 s"):
        el.resample(frame_of(EYES, {"re_u": [1, 2]}), every)


def test_bins_are_not_cut_either() -> None:
    bins = el.resample(frame_of(EYES, {"re_u": [1] * 240}), "10min")
    with pytest.raises(ConfigurationError, match="whole multiple of 600 s"):
        el.resample(bins, "15min")


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_coverage_that_is_no_share_is_refused(least: float) -> None:
    with pytest.raises(ConfigurationError, match="min_coverage"):
        el.resample(frame_of(EYES, {"re_u": [1]}), "1min", min_coverage=least)


def test_naive_stamps_and_a_stamp_twice_are_refused() -> None:
    frame = frame_of(EYES, {"re_u": [1, 2]})
    with pytest.raises(ConfigurationError, match="aware DatetimeIndex"):
        el.resample(frame.tz_localize(None), "1min")
    with pytest.raises(ConfigurationError, match="several rows with one stamp"):
        el.resample(pd.concat([frame, frame]), "1min")


def test_stamps_that_open_their_intervals_give_bins_that_do() -> None:
    frame = frame_of(EYES, {"re_u": [1, 2, 3, 4]})
    table = el.resample(frame, "1min", stamp="start", min_coverage=0)
    assert [f"{label:%H:%M}" for label in table.index] == ["10:00", "10:01"]
    assert table["re_u"].tolist() == [6, 4]


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_resample_twice_equals_once_where_sums_and_weights_add_up(log: str) -> None:
    frame = el.simulate("2026-10-25", 1, log=log, seed=5, tz="Europe/Berlin")
    once = el.resample(frame, "1h", min_coverage=0)
    twice = el.resample(el.resample(frame, "10min", min_coverage=0), "1h", min_coverage=0)
    assert once.index.equals(twice.index)
    for name, field in catalogue(log).items():
        adds_up = field.agg in ("sum", "max", "last") or field.value_type == "bool"
        # A weighted value that is missing where its weight is not weighs bins unlike records.
        if adds_up or (field.weight and frame[name].notna().all()):
            np.testing.assert_allclose(twice[name], once[name], rtol=1e-12, err_msg=name)
        elif field.agg in ("mean", "circ_mean") and field.documented:
            both = (once[name] - twice[name]).abs()
            assert both.median() <= 0.05 * (once[name].abs().median() + 1) or both.isna().all()
    for name in BIN_COLUMNS:
        np.testing.assert_allclose(twice[name], once[name], rtol=1e-12, err_msg=name)


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@settings(max_examples=20)
@given(frames(), st.sampled_from(["1min", "10min", "1D"]), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(
    frame: pd.DataFrame, every: str, rng: st.DataObject
) -> None:
    order = list(range(len(frame)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    names = [
        name
        for name in frame.columns
        if set(catalogue(el.flag(frame).attrs["eyelog"]["log"])[name].weight) <= set(frame)
    ]
    frame = frame[names] if names else frame.iloc[:, :0]
    if names:
        straight = el.resample(frame, every)
        pd.testing.assert_frame_equal(el.resample(frame.iloc[order], every), straight)


@settings(max_examples=20)
@given(st.lists(st.sampled_from([0.0, 1.0, 7.0, np.nan]), min_size=4, max_size=12), st.data())
def test_a_masked_value_never_changes_an_answer(values: list[float], data: st.DataObject) -> None:
    bad = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    other = data.draw(
        st.lists(st.sampled_from([3.0, 200.0, -5.0]), min_size=len(values), max_size=len(values))
    )
    changed = np.where(bad, other, values)
    first, second = (
        frame_of(EYES, {"re_u": list(column), "vld": [not b for b in bad]}).astype(
            {"re_u": "float64"}
        )
        for column in (values, changed)
    )
    pd.testing.assert_frame_equal(el.resample(first, "1min"), el.resample(second, "1min"))


@settings(max_examples=20)
@given(st.integers(2, 50))
def test_scaling_a_count_scales_its_sum(factor: int) -> None:
    frame = el.sample().iloc[:400]
    frame = frame[["re_u"]].astype("float64")
    frame.attrs = {}
    plain = el.resample(frame, "5min", judge=False, log=EYES)
    scaled = el.resample(frame * factor, "5min", judge=False, log=EYES)
    np.testing.assert_allclose(scaled["re_u"], plain["re_u"] * factor)


def by_csv(table: pd.DataFrame) -> pd.DataFrame:
    back = pd.read_csv(io.StringIO(table.to_csv()), index_col="date")
    back.index = pd.to_datetime(back.index, utc=True).tz_convert(table.index.tz)
    return back


def by_parquet(table: pd.DataFrame) -> pd.DataFrame:
    file = io.BytesIO()
    table.to_parquet(file)
    back = pd.read_parquet(file)
    back.attrs = {}
    return back


def by_hand(table: pd.DataFrame) -> pd.DataFrame:
    bare = pd.DataFrame(table[sorted(table.columns)])
    bare.attrs = {}
    return bare.assign(mood=1)


OUTSIDE = [by_csv, by_parquet, by_hand]


@pytest.fixture(scope="module", params=[EYES, MINUTES])
def three_days(request: pytest.FixtureRequest) -> pd.DataFrame:
    return el.simulate("2026-10-24", 3, log=request.param, seed=4, tz="Europe/Berlin")


def numbers_of(days: pd.DataFrame) -> pd.DataFrame:
    """Return a daily table as plain numbers, so that only its values are compared."""
    plain = days.drop(columns="mood", errors="ignore")
    for name in ("first_worn", "last_worn"):
        plain[name] = plain[name].astype("int64")
    return pd.DataFrame(plain.astype("float64"))


@pytest.mark.parametrize("outside", OUTSIDE)
@pytest.mark.parametrize("cut", ["2026-10-25 00:00", "2026-10-25 12:00"])
def test_halves_resampled_and_put_together_are_the_days_of_the_whole(
    three_days: pd.DataFrame, cut: str, outside: Callable[[pd.DataFrame], pd.DataFrame]
) -> None:
    at = pd.Timestamp(cut, tz="Europe/Berlin")
    halves = three_days[three_days.index <= at], three_days[three_days.index > at]
    whole = el.resample(three_days, "10min")
    joined = outside(pd.concat([el.resample(half, "10min") for half in halves]))
    log = str(three_days.attrs["eyelog"]["log"])
    for ask in (el.daily, lambda f, **k: el.daily(el.resample(f, "1h", **k), **k)):
        found, expected = ask(joined, log=log), ask(whole)
        pd.testing.assert_frame_equal(
            numbers_of(found), numbers_of(expected), rtol=1e-9, check_freq=False
        )


@pytest.mark.parametrize("outside", OUTSIDE)
def test_masked_halves_put_together_are_the_days_and_bins_of_the_whole(
    three_days: pd.DataFrame, outside: Callable[[pd.DataFrame], pd.DataFrame]
) -> None:
    n = len(three_days) // 2
    halves = [el.mask(half, el.flag(half)) for half in (three_days.iloc[:n], three_days.iloc[n:])]
    joined = outside(pd.concat(halves))
    log = str(three_days.attrs["eyelog"]["log"])
    for ask in (el.daily, lambda f, **k: el.daily(el.resample(f, "10min", **k), **k)):
        found, expected = numbers_of(ask(joined, log=log)), numbers_of(ask(three_days))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-9, check_freq=False)


def test_bins_of_two_widths_stand_in_one_table(three_days: pd.DataFrame) -> None:
    at = pd.Timestamp("2026-10-25 06:00", tz="Europe/Berlin")
    early = el.resample(three_days[three_days.index <= at], "10min")
    late = el.resample(three_days[three_days.index > at], "1h")
    both = pd.concat([early, late])
    assert set(both["bin_s"]) == {600.0, 3600.0}
    whole = el.resample(three_days, "10min")
    days, usual = el.daily(both), el.daily(whole)
    sums = ["n", "coverage", "recorded_h", "worn_h", "valid_h", "walking_h", "steps", "pace_spm"]
    sums += ["blink_rate_per_min", "blink_n", "blink_exposure_min"]
    np.testing.assert_allclose(days[sums].astype(float), usual[sums].astype(float), rtol=1e-9)
    hours = ["n", "recorded_h", "expected_h", "coverage", "worn_h", "valid_h", "walking_h"]
    pd.testing.assert_frame_equal(
        el.coverage(both)[hours], el.coverage(whole)[hours], rtol=1e-9, check_freq=False
    )
    for by in (None, "1D"):
        rate, plain = el.blinks.rate(both, by=by), el.blinks.rate(whole, by=by)
        names = ["rate_per_min", "low", "high", "n", "exposure_min"]
        np.testing.assert_allclose(rate[names].astype(float), plain[names].astype(float), rtol=1e-9)
    with pytest.raises(ConfigurationError, match="bins of several widths"):
        interval_seconds(both)
    with pytest.raises(ConfigurationError, match="3600 s to '10min'"):
        el.resample(both, "10min")


def test_bins_that_overlap_are_refused(three_days: pd.DataFrame) -> None:
    tens, hours = (el.resample(three_days, every) for every in ("10min", "1h"))
    late = hours[hours.index > tens.index[8]]
    with pytest.raises(ConfigurationError, match="bins overlap at"):
        el.daily(pd.concat([tens.iloc[:8], late]))


def test_bins_mixed_with_records_are_refused(three_days: pd.DataFrame) -> None:
    bins = el.resample(three_days.iloc[:2000], "10min")
    with pytest.raises(ConfigurationError, match="rows have no width"):
        el.daily(pd.concat([bins, three_days[three_days.index > bins.index[-1]]]))
