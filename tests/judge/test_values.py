"""A column as numbers, and which of its values the catalogue allows."""

import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of
from support.reasons import R, against, reason


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
def test_minus_one_is_out_of_range_where_no_invalid_mark_is_documented():
    assert reason(frame_of(EYES, {"re_u": [-1]}), "re_u") == R.RANGE
    assert reason(frame_of(EYES, {"npt_av": [-0.5]}), "npt_av") == 0


def test_a_fraction_of_a_count_is_out_of_range():
    assert reason(frame_of(EYES, {"re_u": [2.5]}), "re_u") == R.RANGE


def test_evidence_outside_its_own_range_flags_nothing():
    assert against(MINUTES, {"wea_s": -5}, "hm_po") == 0
    assert against(MINUTES, {"stp_s": 70}, "ems_rl") == 0
    assert against(EYES, {"stp": 2.5}, "re_u") == 0


def test_text_where_numbers_belong_is_refused_by_name():
    frame = frame_of(EYES, {"sc_fcs": [50]}).astype({"sc_fcs": "string"})
    with pytest.raises(el.ConfigurationError, match="'sc_fcs' holds string"):
        el.flag(frame)
