"""Reasons against single values, by hand; `tests/reference` holds every one on drawn frames."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import CALM, EYES, MINUTES, frame_of, frames
from support.logs import history
from support.reasons import R, against, judged, reason
from support.triallog import seconds, trial_log


@pytest.mark.parametrize(
    ("log", "evidence", "limits", "expected"),
    [
        (MINUTES, {"wea_s": 20}, {"min_worn": "30s"}, {"hm_po": R.UNWORN}),
        (EYES, {"stp": 4}, {"walking_above": 4}, {"re_u": R(0), "sa_xr": R.STILL}),
        (MINUTES, {"stp_s": 4}, {"walking_above": 4}, {"ems_rl": R(0), "sa_xr": R.STILL}),
        (EYES, {"nis_time": 4}, {"max_noise": "4s"}, {"re_u": R(0)}),
    ],
)
def test_evidence_speaks_against_its_fields_by_limits_of_ones_own(
    log: str, evidence: dict[str, Any], limits: dict[str, Any], expected: dict[str, R]
) -> None:
    assert {name: against(log, evidence, name, **limits) for name in expected} == expected


def test_blink_statistics_that_repeat_while_their_count_is_0_are_stale() -> None:
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
    first = frame_of(MINUTES, {"lc_bk_n": [0, 0, 0, 2], "lc_npt_av": [0.1, 0.1, 0.2, 0.2]})
    assert (el.flag(first)["lc_npt_av"] == R.STALE).tolist() == [True, True, False, False]
    # A gap in time does not empty the buffer, but a missing value ends the run.
    missing = frame_of(MINUTES, {"lc_bk_n": [2, 0, 0, 0], "lc_npt_av": [0.1, None, 0.1, 0.2]})
    assert reason(missing, "lc_npt_av", 2) == 0
    holes = frame_of(MINUTES, {"lc_bk_n": [2, 9, 0], "lc_npt_av": [0.1, 0.5, 0.1]}).iloc[[0, 2]]
    assert reason(holes, "lc_npt_av", 1) == R.STALE


def test_what_is_stale_is_in_no_summary_of_records_that_were_not_masked_before() -> None:
    frame = frame_of(
        EYES, {"bk_n": [0, 0, 2, 1], "bkh_max": [240, 240, 90, 80], "isl": [False] * 4}
    )
    for given_ in (frame, judged(frame)):
        assert el.resample(given_, "1min")["bkh_max"].max() == 90


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
def test_what_was_not_checked_is_in_the_provenance_and_is_not_a_reason() -> None:
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


def test_what_are_no_records_of_one_log_is_refused() -> None:
    frame = el.sample(MINUTES).iloc[:3000]
    for bins in (el.resample(frame, "1h"), el.intervals(frame, "1h")):
        with pytest.raises(el.ConfigurationError, match="pass the records"):
            el.flag(bins)
    mixed = frame_of(EYES, {"sc_fcs": [50]}).assign(wea_s=60.0)
    mixed.attrs = {}
    with pytest.raises(el.MixedLogsError, match="two logs"):
        el.flag(mixed)
    with pytest.raises(el.ConfigurationError, match="'sc_fcs' holds string"):
        el.flag(frame_of(EYES, {"sc_fcs": [50]}).astype({"sc_fcs": "string"}))


def test_true_and_false_that_were_read_as_text_are_refused_with_a_conversion_that_keeps_them() -> (
    None
):
    sample = el.sample()
    frame = sample.assign(isl=sample["isl"].astype(str))
    with pytest.raises(el.ConfigurationError) as refused:
        el.daily(frame)
    advice = str(refused.value).partition("convert it with ")[2]
    assert el.daily(frame.assign(isl=eval(advice, {"frame": frame}))).equals(el.daily(sample))


@given(frames(MINUTES, names=[*CALM[MINUTES], "hm_po", "ems_rl", "lc_bk_n", "lc_bkw_av", "sa_xr"]))
def test_a_stricter_limit_never_lets_more_through(frame: pd.DataFrame) -> None:
    usual = judged(frame)[frame.columns].notna()
    limits = el.Limits(
        min_worn="41s", max_noise="0s", tilt_sideways_deg=(-1, 1), tilt_fore_aft_deg=(-1, 1)
    )
    strict = judged(frame, limits=limits)[frame.columns].notna()
    assert not (strict & ~usual).any(axis=None)


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@given(frames(), st.data())
def test_less_evidence_never_adds_a_reason(frame: pd.DataFrame, data: st.DataObject) -> None:
    before = frame.copy()
    some = data.draw(st.sets(st.sampled_from(list(frame.columns)), min_size=1))
    part = frame[[name for name in frame.columns if name in some]]
    reasons = el.flag(frame)
    assert not (el.flag(part) & ~reasons[part.columns]).any(axis=None)
    assert set(reasons.dtypes) == {np.dtype("uint16")}
    assert reasons.index.equals(frame.index)
    assert_frame_equal(frame, before)


TWO_NOISES = """\
trial_log,hum,humSeconds,number,int,s,0,60,,wear,,,sum,,noise_s,Hum,,vendor-doc
trial_log,buzz,buzzSeconds,number,int,s,0,60,,wear,,,sum,,noise_s,Buzz,,vendor-doc
"""
NOISE_LIMIT = ("noise", "trial_log", "noise_s", "x <= a", (3,), "s", "{field}", "trial", "")


def test_a_limit_holds_for_every_field_with_its_role(monkeypatch: pytest.MonkeyPatch) -> None:
    with trial_log(monkeypatch, more_fields=TWO_NOISES, more_limits=(NOISE_LIMIT,)):
        frame = seconds().iloc[:6].assign(hum=[0.0, 4, 0, 4, None, 0], buzz=[0.0, 0, 4, 4, 0, None])
        noisy = (el.flag(frame)["pulse"] & R.NOISY) != 0
        assert noisy.tolist() == [False, True, True, True, False, False]
        expected = ["usable", "noisy", "noisy", "noisy", None, None]
        assert el.states(frame).astype(object).where(lambda s: s.notna(), None).tolist() == expected
        with pytest.warns(el.EyelogWarning, match=r"NOISY \(buzz\)"):
            el.flag(frame.drop(columns="buzz"))


# Explaining


def test_explain_counts_each_reason_of_each_field() -> None:
    frame = frame_of(
        EYES, {"sc_fcs": [-1, None, 50, 50], "re_u": [255, 1, 1, 300], "vld": [True] * 3 + [False]}
    )
    table = el.explain(el.flag(frame))
    assert table.index.tolist() == frame.columns.tolist()
    focus, up = table.loc["sc_fcs"], table.loc["re_u"]
    assert focus[["n", "MISSING", "SENTINEL", "INVALID", "masked"]].tolist() == [4, 1, 1, 1, 3]
    assert focus["masked_share"] == 0.75
    assert up[["SATURATED", "RANGE", "INVALID", "masked"]].tolist() == [1, 1, 1, 1]
    assert set(table.drop(columns="masked_share").dtypes) == {np.dtype("int64")}
    assert table["masked"].tolist() == judged(frame)[frame.columns].isna().sum().tolist()


def test_explain_takes_reasons_and_not_values() -> None:
    frame = frame_of(EYES, {"sc_fcs": [1]})
    reasons, every = el.flag(frame), sum(el.Reason.__members__.values())
    assert el.explain(reasons * 0 + every)["SATURATED"].eq(1).all()
    with pytest.raises(el.ConfigurationError, match="integers"):
        el.explain(frame)
    for other in (reasons.astype("int64") - 1, reasons * 0 + (every + 1)):
        with pytest.raises(el.ConfigurationError, match="numbers that are not reasons"):
            el.explain(other)


# One warning a call names what could not be judged, and the fields to add.

README_FIELDS = ["stp", "isl", "vld", "bki_n", "bki_sum"]
CALLS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "flag": el.flag,
    "daily": el.daily,
    "coverage": el.coverage,
    "resample": lambda frame: el.resample(frame, "1h"),
    "blinks.rate": el.blinks.rate,
    "mixed_table": lambda frame: el.compare.mixed_table({"a": frame, "b": frame}),
    "agreement": lambda frame: el.compare.agreement(frame, el.sample(MINUTES)[["wea_s", "hm_po"]]),
}


def warned(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [each for each in caught if issubclass(each.category, el.EyelogWarning)]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_warns_once_and_at_the_line_of_its_caller(name: str) -> None:
    frame = el.sample()[README_FIELDS]
    caught, *others = warned(lambda: CALLS[name](frame))
    # A comparison asks its frames one by one: Python shows the same warning of one line once.
    assert {(each.lineno, str(each.message)) for each in others} <= {
        (caught.lineno, str(caught.message))
    }
    assert not others or name in ("agreement", "mixed_table")
    assert caught.filename == __file__
    assert "OFF_POSE (tl_xav, tl_yav)" in str(caught.message)
    assert "fields='daily'" in str(caught.message)


def test_only_what_a_summary_uses_is_asked_for() -> None:
    frame = el.sample()[["stp", "cad", "isl", "tl_xav", "tl_yav", "gw", "bl"]]
    assert not warned(lambda: el.gait.pace(frame))
    assert not warned(lambda: el.daily(frame))
    (caught,) = warned(lambda: el.daily(frame.drop(columns="cad")))
    assert "walking time (cad)" in str(caught.message)
    steps = el.sample()[list(el.fields(EYES, of="steps").index)]
    assert not warned(lambda: el.flag(steps))
    (caught,) = warned(lambda: el.flag(steps, limits=el.Limits(wear="blinks")))
    assert "UNWORN (bk_n)" in str(caught.message)


def test_nothing_is_said_twice_of_masked_frames_bins_or_no_rows() -> None:
    frame = el.sample()[README_FIELDS]
    with pytest.warns(el.EyelogWarning, match="not judged"):
        masked, bins = judged(frame), el.intervals(frame, "1h")
    for said in (masked, bins, frame.iloc[:0]):
        assert not warned(lambda said=said: el.daily(said))
