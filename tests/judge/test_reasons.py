"""Which reason holds against which kind of field, and by which evidence."""

import pytest

import eyelog as el
from eyelog.catalogue import catalogue
from eyelog.judge.limits import Limit
from eyelog.judge.reasons import against_fields, evidence_for
from support.frames import EYES, MINUTES, frame_of
from support.logs import LOGS, columns
from support.reasons import CONTEXT, GAIT, MOTION, NOISE, STATIC, STEPS, WALK, R, against
from support.triallog import seconds, trial_log


@pytest.mark.parametrize("log", LOGS)
def test_a_calm_worn_interval_has_no_reasons(log):
    for fields in (STATIC, MOTION, STEPS):
        assert against(log, {}, fields[log]) == 0


def test_the_bits_of_the_reasons_are_those_published():
    assert {r.name: int(r) for r in R} == {
        "MISSING": 1,
        "SENTINEL": 2,
        "RANGE": 4,
        "INVALID": 8,
        "MOVING": 16,
        "STILL": 32,
        "UNWORN": 64,
        "NOISY": 128,
        "OFF_POSE": 256,
        "STALE": 512,
        "SATURATED": 1024,
    }


def test_one_reason_can_be_looked_up_in_a_whole_table():
    reasons = el.flag(frame_of(EYES, {"sc_fcs": [-1, 50], "stp": [0, 9]}))
    assert ((reasons & R.MOVING) != 0)["sc_fcs"].tolist() == [False, True]
    assert (reasons["sc_fcs"] == R.SENTINEL).tolist() == [True, False]


@pytest.mark.parametrize(("log", "off"), [(EYES, {"isl": True}), (MINUTES, {"wea_s": 19})])
def test_unworn_eyewear_flags_eyes_head_and_steps(log, off):
    for fields in (STATIC, MOTION, STEPS, GAIT):
        assert R.UNWORN in against(log, off, fields[log])


def test_twenty_seconds_of_wear_are_enough_and_the_limit_can_be_raised():
    assert against(MINUTES, {"wea_s": 20}, "hm_po") == 0
    assert against(MINUTES, {"wea_s": 20}, "hm_po", min_worn="30s") == R.UNWORN


def test_an_invalid_interval_flags_static_fields_only():
    assert against(EYES, {"vld": False}, "re_u") == R.INVALID
    assert against(EYES, {"vld": False}, "hm_po") == 0
    assert against(EYES, {"vld": False}, "stp") == 0


@pytest.mark.parametrize("log", LOGS)
def test_walking_flags_static_fields_and_standing_flags_gait(log):
    walk = {WALK[log]: 4}
    assert against(log, walk, STATIC[log]) == R.MOVING
    assert against(log, walk, GAIT[log]) == 0
    assert against(log, walk, MOTION[log]) == 0
    assert against(log, {}, GAIT[log]) == R.STILL


@pytest.mark.parametrize("log", LOGS)
def test_a_step_count_of_0_is_a_measurement_and_never_still(log):
    assert R.STILL not in against(log, {WALK[log]: 0}, STEPS[log])


@pytest.mark.parametrize("log", LOGS)
def test_the_threshold_of_walking_can_be_raised(log):
    assert against(log, {WALK[log]: 4}, STATIC[log], walking_above=4) == 0
    assert against(log, {WALK[log]: 4}, GAIT[log], walking_above=4) == R.STILL


@pytest.mark.parametrize(("log", "limit"), [(EYES, 3), (MINUTES, 10)])
def test_noise_above_the_documented_limit_flags_static_fields(log, limit):
    assert against(log, {NOISE[log]: limit}, STATIC[log]) == 0
    assert against(log, {NOISE[log]: limit + 1}, STATIC[log]) == R.NOISY
    assert against(log, {NOISE[log]: limit + 1}, MOTION[log]) == 0
    assert against(log, {NOISE[log]: limit + 1}, STATIC[log], max_noise=f"{limit + 1}s") == 0


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize(
    "tilt", [{"tl_xav": -45.1}, {"tl_xav": 45.1}, {"tl_yav": -45.1}, {"tl_yav": 90.1}]
)
def test_the_tilt_of_stored_eyewear_flags_everything_but_the_evidence(log, tilt):
    for fields in (STATIC, MOTION, STEPS):
        assert against(log, tilt, fields[log]) == R.OFF_POSE
    assert against(log, tilt, NOISE[log]) == 0


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("tilt", [{"tl_xav": -45}, {"tl_xav": 45}, {"tl_yav": -45}, {"tl_yav": 90}])
def test_a_tilt_exactly_on_a_limit_is_that_of_worn_eyewear(log, tilt):
    assert against(log, tilt, STATIC[log]) == 0


@pytest.mark.parametrize("log", LOGS)
def test_the_evidence_itself_never_gets_a_reason_from_the_context(log):
    worst = {EYES: {"isl": True, "vld": False, "stp": 9, "nis_time": 15, "tl_xav": 90}}
    worst[MINUTES] = {"wea_s": 0, "nis_s": 60, "stp_s": 60, "tl_xav": 90}
    row = {name: [1] for name in columns(log) if catalogue(log)[name].value_type != "str"}
    row |= {name: [value] for name, value in worst[log].items()}
    reasons = el.flag(frame_of(log, row))
    for name, field in catalogue(log).items():
        if name not in reasons or field.value_type == "str":
            continue
        spared = field.kind not in ("static", "motion", "gait") or name == "stp_s"
        spared = spared or not field.documented
        assert (int(reasons[name].iloc[0]) & int(CONTEXT) == 0) == spared, name


def test_undocumented_fields_are_not_interpreted():
    frame = frame_of(EYES, {"hm_prc": [1e12, None], "isl": [True, True], "gw": ["", None]})
    reasons = el.flag(frame)
    assert reasons["hm_prc"].tolist() == [0, R.MISSING]
    assert reasons["gw"].tolist() == [0, R.MISSING]


def test_normalized_blink_statistics_are_judged_by_the_count_of_the_plain_ones():
    frame = frame_of(
        EYES, {"bk_n": [1, 0], "bki_n": [1, 1], "bkw_av_wa": [1, 1], "bki_av_wa": [2, 2]}
    )
    assert el.flag(frame)["bkw_av_wa"].tolist() == [0, R.STALE]
    assert el.flag(frame)["bki_av_wa"].tolist() == [0, 0]


def test_each_reason_from_the_context_has_its_evidence():
    assert evidence_for(EYES) == {
        R.INVALID: ("vld",),
        R.MOVING: ("stp",),
        R.STILL: ("stp",),
        R.UNWORN: ("isl",),
        R.NOISY: ("nis_time",),
        R.OFF_POSE: ("tl_xav", "tl_yav"),
    }
    assert evidence_for(MINUTES) == {
        R.MOVING: ("stp_s",),
        R.STILL: ("stp_s",),
        R.UNWORN: ("wea_s",),
        R.NOISY: ("nis_s",),
        R.OFF_POSE: ("tl_xav", "tl_yav"),
    }


@pytest.mark.parametrize(
    ("log", "name", "count"),
    [
        (EYES, "bki_sum", "bki_n"),
        (EYES, "bkh_sum", "bk_n"),
        (EYES, "bkh_max", "bk_n"),
        (EYES, "bki_av", "bki_n"),
        (EYES, "npt_sd_wa", "bk_n"),
        (EYES, "bki_av_wa", "bki_n"),
        (EYES, "bk_n", None),
        (EYES, "sc_fcs", None),
        (EYES, "cad", None),
        (MINUTES, "lc_bkw_sd", "lc_bk_n"),
        (MINUTES, "sc_bki_av", "sc_bki_n"),
        (MINUTES, "sc_bkg_n", None),
    ],
)
def test_a_blink_statistic_is_judged_by_its_own_count(log, name, count):
    assert against_fields(log)[name].counter == count


TWO_NOISES = """\
trial_log,hum,humSeconds,number,int,s,0,60,,wear,,,sum,,noise_s,Hum,,vendor-doc
trial_log,buzz,buzzSeconds,number,int,s,0,60,,wear,,,sum,,noise_s,Buzz,,vendor-doc
"""


def test_a_limit_holds_for_every_field_with_its_role(monkeypatch):
    noise = Limit("noise", "trial_log", "noise_s", "x <= a", (3,), "s", "{field}", "trial", "")
    with trial_log(monkeypatch, more_fields=TWO_NOISES, more_limits=(noise,)):
        frame = seconds().iloc[:6].assign(hum=[0.0, 4, 0, 4, None, 0], buzz=[0.0, 0, 4, 4, 0, None])
        noisy = (el.flag(frame)["pulse"] & R.NOISY) != 0
        assert noisy.tolist() == [False, True, True, True, False, False]
        expected = ["usable", "noisy", "noisy", "noisy", None, None]
        assert el.states(frame).astype(object).where(lambda s: s.notna(), None).tolist() == expected
        with pytest.warns(el.EyelogWarning, match=r"NOISY \(buzz\)"):
            el.flag(frame.drop(columns="buzz"))
