"""One warning a call names what could not be judged, and the fields to add."""

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES

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


def test_nothing_is_said_twice_of_masked_frames_bins_or_no_rows() -> None:
    with pytest.warns(el.EyelogWarning, match="not judged"):
        reasons = el.flag(el.sample()[README_FIELDS])
    masked = el.mask(el.sample()[README_FIELDS], reasons)
    with pytest.warns(el.EyelogWarning, match="not judged"):
        bins = el.intervals(el.sample()[README_FIELDS], "1h")
    for frame in (masked, bins, el.sample()[README_FIELDS].iloc[:0]):
        assert not warned(lambda frame=frame: el.daily(frame))


def test_blinks_as_evidence_of_wear_are_asked_for_where_they_are_to_be_used() -> None:
    frame = el.sample()[list(el.fields(EYES, of="steps").index)]
    assert not warned(lambda: el.flag(frame))
    (caught,) = warned(lambda: el.flag(frame, limits=el.Limits(wear="blinks")))
    assert "UNWORN (bk_n)" in str(caught.message)
