"""Flags of single values, masking, and the laws that both keep."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.frame import history, stated_log
from support.frames import CALM, EYES, MINUTES, frame_of, frames
from support.reasons import KEPT, R, judged, reason


def test_minus_one_is_an_invalid_mark_and_not_a_score():
    frame = frame_of(EYES, {"sc_fcs": [None, -1, 0, 100, 101, -2, 50.5]})
    found = [R(int(r)) for r in el.flag(frame)["sc_fcs"]]
    assert found == [R.MISSING, R.SENTINEL, R(0), R(0), R.RANGE, R.RANGE, R(0)]


def test_the_share_of_high_scores_leaves_out_the_invalid_mark():
    frame = frame_of(EYES, {"sc_fcs": [-1, 80, -1, 70, 20]})
    scores = judged(frame)["sc_fcs"].dropna()
    assert float((scores >= 60).mean()) == pytest.approx(2 / 3)
    assert float((frame["sc_fcs"] >= 60).mean()) == pytest.approx(0.4)


def test_a_count_at_its_cap_is_saturated_and_stays():
    frame = frame_of(MINUTES, {"ems_rl": [254, 255, 256]})
    assert [int(r) for r in el.flag(frame)["ems_rl"]] == [0, R.SATURATED, R.RANGE]
    assert judged(frame)["ems_rl"].tolist()[:2] == [254.0, 255.0]
    assert judged(frame)["ems_rl"].isna().tolist() == [False, False, True]


def test_only_a_count_can_be_saturated():
    assert reason(frame_of(MINUTES, {"lc_bkw_av": [306], "lc_bk_n": [3]}), "lc_bkw_av") == 0
    assert reason(frame_of(MINUTES, {"wea_s": [60]}), "wea_s") == 0


def test_blink_statistics_that_repeat_while_their_count_is_0_are_stale():
    frame = frame_of(
        MINUTES,
        {
            "lc_bk_n": [3, 0, 0, 2, 0, 0, 1],
            "lc_bkh_av": [90, 90, 90, 90, 95, 97, 97],
            "sc_bk_n": [1, 1, 1, 1, 1, 0, 1],
            "sc_bkh_av": [90, 90, 90, 90, 95, 97, 97],
            "lc_bki_n": [1, 1, 1, 1, 1, 1, 0],
            "lc_bki_av": [4, 4, 4, 4, 4, 4, 4],
        },
    )
    stale = (el.flag(frame) & R.STALE) != 0
    assert stale["lc_bkh_av"].tolist() == [False, True, True, False, False, False, False]
    assert not stale["sc_bkh_av"].any(), "each cleansing is judged by its own count"
    assert stale["lc_bki_av"].tolist() == [False] * 6 + [True], "gaps are judged by their count"
    assert not stale["lc_bk_n"].any()


def test_what_is_stale_is_in_no_summary_of_records_that_were_not_masked_before() -> None:
    frame = frame_of(
        EYES, {"bk_n": [0, 0, 2, 1], "bkh_max": [240, 240, 90, 80], "isl": [False] * 4}
    )
    assert (el.flag(frame)["bkh_max"] == R.STALE).tolist() == [True, True, False, False]
    binned = el.resample(frame, "1min", min_coverage=0)
    assert binned["bkh_max"].max() == 90
    masked = el.mask(frame, el.flag(frame))
    assert el.resample(masked, "1min", min_coverage=0)["bkh_max"].equals(binned["bkh_max"])


def test_a_count_with_a_fraction_is_out_of_range_and_the_whole_ones_are_not() -> None:
    flags = el.flag(frame_of(EYES, {"stp": [3.5, 4, 0]}))["stp"]
    assert (flags & R.RANGE != 0).tolist() == [True, False, False]


def test_a_stale_run_at_the_start_of_a_frame_is_flagged_from_its_first_row():
    frame = frame_of(MINUTES, {"lc_bk_n": [0, 0, 0, 2], "lc_npt_av": [0.1, 0.1, 0.2, 0.2]})
    assert (el.flag(frame)["lc_npt_av"] == R.STALE).tolist() == [True, True, False, False]


def test_a_gap_in_time_does_not_empty_the_buffer_but_a_missing_value_ends_the_run():
    frame = frame_of(MINUTES, {"lc_bk_n": [2, 0, 0, 0], "lc_npt_av": [0.1, None, 0.1, 0.2]})
    assert reason(frame, "lc_npt_av", 2) == 0
    holes = frame_of(MINUTES, {"lc_bk_n": [2, 9, 0], "lc_npt_av": [0.1, 0.5, 0.1]}).iloc[[0, 2]]
    assert reason(holes, "lc_npt_av", 1) == R.STALE


def test_a_total_of_0_is_a_measurement_and_not_stale():
    frame = frame_of(
        EYES,
        {"bki_n": [0, 0], "bki_sum": [0, 0], "bk_n": [0, 0], "bkh_sum": [7, 7], "bkw_av": [0, 0]},
    )
    reasons = el.flag(frame)
    assert reasons["bki_sum"].tolist() == [0, 0]
    assert reasons["bkh_sum"].tolist() == [R.STALE, R.STALE]
    assert reasons["bkw_av"].tolist() == [R.STALE, R.STALE]


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
def test_what_was_not_checked_is_in_the_provenance_and_is_not_a_reason():
    frame = frame_of(EYES, {"sc_fcs": [50], "bkw_av": [200], "tl_xav": [0]}, calm=False)
    reasons = el.flag(frame)
    assert reasons.to_numpy().tolist() == [[0, 0, 0]]
    assert history(reasons)[-1]["unchecked"] == {
        "UNWORN": ["isl"],
        "INVALID": ["vld"],
        "MOVING": ["stp"],
        "NOISY": ["nis_time"],
        "OFF_POSE": ["tl_yav"],
        "STALE": ["bk_n"],
    }
    assert history(el.flag(frame_of(MINUTES, {"hm_po": [3]})))[-1]["unchecked"] == {}


def test_bins_are_no_records_and_the_call_that_works_is_named():
    frame = el.sample("standard_mode_logs").iloc[:3000]
    for bins in (el.resample(frame, "1h"), el.intervals(frame, "1h")):
        with pytest.raises(el.ConfigurationError, match="pass the records"):
            el.flag(bins)


def test_columns_of_both_logs_are_refused():
    frame = frame_of(EYES, {"sc_fcs": [50]}).assign(wea_s=60.0)
    frame.attrs = {}
    with pytest.raises(el.MixedLogsError, match="two logs"):
        el.flag(frame)


@pytest.mark.parametrize(
    "limit",
    [
        {"min_worn": "-1s"},
        {"max_noise": 1},
        {"walking_above": float("inf")},
        {"walking_above": True},
        {"tilt_sideways_deg": (45, -45)},
        {"tilt_fore_aft_deg": (1, 2, 3)},
    ],
)
def test_an_unusable_limit_is_refused_by_name(limit):
    with pytest.raises(el.ConfigurationError, match=next(iter(limit))):
        el.Limits(**limit)


def test_masking_removes_flagged_values_and_keeps_the_rest():
    frame = frame_of(EYES, {"sc_fcs": [-1, 50], "isl": [False, True], "gw": ["", "x"]})
    clean = el.mask(frame, el.flag(frame))
    assert clean["sc_fcs"].isna().all()
    assert clean["isl"].tolist() == [False, True]
    assert clean["gw"].tolist() == ["", "x"]
    assert list(clean) == [*frame, *KEPT]
    assert_frame_equal(clean[list(frame)].dtypes.to_frame(), frame.dtypes.to_frame())
    assert stated_log(clean) == EYES
    assert history(clean)[-1]["allow"] == ["SATURATED"]


def test_an_allowed_reason_does_not_mask_a_value():
    frame = frame_of(EYES, {"sc_fcs": [50, -1], "stp": [3, 3], "vld": [True, True]})
    clean = el.mask(frame, el.flag(frame), allow=R.MOVING | R.SATURATED)
    assert clean["sc_fcs"].tolist()[0] == 50
    assert clean["sc_fcs"].isna().tolist() == [False, True]


def test_a_masked_boolean_is_missing_and_its_column_stays_boolean():
    frame = frame_of(EYES, {"vld": [True, False]})
    reasons = el.flag(frame)
    reasons["vld"] = np.array([R.RANGE, 0], dtype=np.uint16)
    masked = el.mask(frame, reasons)["vld"]
    assert str(masked.dtype) == "boolean"
    assert masked.isna().tolist() == [True, False]


@pytest.mark.parametrize("allow", [-1, True, 1 << 11, "SATURATED", 1.0])
def test_what_is_no_reason_cannot_be_allowed(allow):
    frame = frame_of(EYES, {"sc_fcs": [50, -1]})
    with pytest.raises(el.ConfigurationError, match=r"allow takes eyelog\.Reason"):
        el.mask(frame, el.flag(frame), allow=allow)


def test_reasons_that_lost_their_history_say_their_limits_or_are_refused():
    frame = el.sample(MINUTES).iloc[:3000]
    strict = el.Limits(max_noise="1s")
    for limits in (None, strict):
        reasons = el.flag(frame, limits=limits)
        expected, reasons.attrs = el.mask(frame, reasons), {}
        assert_frame_equal(el.mask(frame, reasons, limits=limits or el.Limits()), expected)
    with pytest.raises(el.ConfigurationError, match="pass limits=, the limits of flag"):
        el.mask(frame, reasons)


def test_a_column_of_ones_own_is_not_overwritten():
    frame = frame_of(EYES, {"sc_fcs": [50]}).assign(state="asleep")
    with pytest.raises(el.ConfigurationError, match="my_state"):
        el.mask(frame, el.flag(frame))
    renamed = frame.rename(columns={"state": "my_state"})
    assert el.mask(renamed, el.flag(renamed))["my_state"].tolist() == ["asleep"]


def test_reasons_of_another_shape_are_refused():
    frame = frame_of(EYES, {"sc_fcs": [50, 60]})
    reasons = el.flag(frame)
    with pytest.raises(el.ConfigurationError, match="1 rows"):
        el.mask(frame, reasons.iloc[:1])
    with pytest.raises(el.ConfigurationError, match="columns"):
        el.mask(frame, reasons.drop(columns="isl"))
    with pytest.raises(el.ConfigurationError, match="integers"):
        el.mask(frame, reasons.astype(float))


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@given(frames())
def test_flags_are_integers_of_the_same_shape_and_the_input_stays_unchanged(frame):
    before = frame.copy()
    reasons = el.flag(frame)
    clean = el.mask(frame, reasons)
    assert_frame_equal(frame, before)
    assert reasons.index.equals(frame.index)
    assert reasons.columns.equals(frame.columns)
    assert set(reasons.dtypes) <= {np.dtype("uint16")}
    assert clean.drop(columns=KEPT, errors="ignore").dtypes.equals(frame.dtypes)
    assert clean["stored"].dtype == "boolean"
    assert clean.index.equals(frame.index)


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@given(frames(), st.sampled_from([None, R.STALE, R.UNWORN | R.MOVING, R.RANGE, ~R.MISSING]))
def test_judging_a_judged_frame_changes_nothing(frame, allow):
    once = el.mask(frame, el.flag(frame), allow=allow)
    assert_frame_equal(el.mask(once, el.flag(once), allow=allow), once)


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@given(frames())
def test_allowing_every_reason_leaves_the_frame_as_it_is(frame):
    clean = el.mask(frame, el.flag(frame), allow=~R(0))
    assert_frame_equal(clean.drop(columns=KEPT, errors="ignore"), frame)


@given(frames(MINUTES, names=[*CALM[MINUTES], "hm_po", "ems_rl", "lc_bk_n", "lc_bkw_av", "sa_xr"]))
def test_a_stricter_limit_never_lets_more_through(frame):
    usual = judged(frame)[frame.columns].notna()
    limits = el.Limits(
        min_worn="41s", max_noise="0s", tilt_sideways_deg=(-1, 1), tilt_fore_aft_deg=(-1, 1)
    )
    strict = judged(frame, limits=limits)[frame.columns].notna()
    assert not (strict & ~usual).any(axis=None)


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@given(frames(), st.data())
def test_less_evidence_never_adds_a_reason(frame, data):
    some = data.draw(st.sets(st.sampled_from(list(frame.columns)), min_size=1))
    part = frame[[name for name in frame.columns if name in some]]
    assert not (el.flag(part) & ~el.flag(frame)[part.columns]).any(axis=None)


def test_only_a_total_of_0_is_a_measurement_and_not_left_over():
    rows = {"bk_n": [0, 0], "bkh_sum": [0.0, 0.0], "bkh_max": [0.0, 0.0], "npt_sd_wa": [0.0, 0.0]}
    stale = (el.flag(frame_of(EYES, rows)) & el.Reason.STALE) != 0
    assert stale.any()[["bkh_sum", "bkh_max", "npt_sd_wa"]].tolist() == [False, True, True]


def test_stored_says_which_records_were_off_pose_and_which_rows_hold_no_record() -> None:
    tilt, wear = [0.0, -72.0, None, None], [60.0, 60.0, 60.0, None]
    frame = frame_of(MINUTES, {"tl_xav": tilt, "wea_s": wear}, calm=False)
    with pytest.warns(el.EyelogWarning, match="not judged"):
        masked = el.mask(frame, el.flag(frame))
    assert list(masked) == [*frame, "stored", "state", "worn_s", "limits"]
    assert masked["stored"].dtype == "boolean"
    assert masked["stored"].fillna(True).tolist() == [False, True, False, True]
    assert masked["stored"].isna().tolist() == [False, False, False, True]


@pytest.mark.parametrize("ask", [el.daily, el.coverage, lambda f: el.resample(f, "10min")])
def test_a_masked_frame_is_read_by_its_column_and_not_by_its_history(ask) -> None:
    frame = el.simulate("2026-10-19", 2, log=MINUTES, seed=3, tz="Asia/Tokyo")
    masked = el.mask(frame, el.flag(frame))
    assert masked["stored"].any()
    halves = pd.concat([masked.iloc[:900], masked.iloc[900:]])
    halves.attrs = {}
    assert_frame_equal(ask(pd.DataFrame(halves)), ask(frame), rtol=1e-12)


def test_a_frame_of_which_only_some_rows_are_masked_is_refused_and_the_advice_works() -> None:
    frame = frame_of(MINUTES, {"hm_po": [1] * 4})
    masked, raw = judged(frame.iloc[:2]), frame.iloc[2:]
    with pytest.raises(el.ConfigurationError, match="2 rows of the frame are not masked"):
        el.daily(pd.concat([masked, raw]))
    followed = pd.concat([masked, el.mask(raw, el.flag(raw))])
    assert_frame_equal(el.daily(followed), el.daily(frame))
