"""The methods as an author writes them."""

import re

import pytest

import eyelog as el
from eyelog.reports.logs import as_logs
from eyelog.reports.method import methods
from support.reported import FIFTEEN, SIXTY, frame, logs


def test_what_was_left_out_adds_up_to_all_records() -> None:
    text = methods(logs(SIXTY)).paragraphs[2]
    total, kept = (
        int(re.search(words, text)[1].replace(",", ""))
        for words in (r"Of ([\d,]+) records", r"; ([\d,]+) \(\d+ %\) were kept")
    )
    lost = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) \([^)]*%\) as ", text)]
    assert total == len(frame(SIXTY, 9))
    assert total - sum(lost) == kept
    table = el.attrition(frame(SIXTY, 9), recipe="eye")
    assert kept == table.loc[table["outcome"] == "", "left"].iloc[-1]


def test_limits_of_ones_own_are_stated_beside_the_defaults() -> None:
    chosen = el.Limits(min_day="8h", max_noise="1s", wear="blinks")
    text = " ".join(methods(as_logs(frame(SIXTY, 9), limits=chosen)).paragraphs)
    assert "min_day 8h (default 4h)" in text
    assert "max_noise 1s (default " in text
    assert "in which blinks were counted count as worn too" in text
    assert "at least 8 h of wear and count" in text


def test_evidence_that_was_not_recorded_is_said() -> None:
    bare = frame(FIFTEEN, 3).drop(columns=["isl"])
    with pytest.warns(el.EyelogWarning, match="isl"):
        text = " ".join(methods(as_logs(bare)).paragraphs)
    assert "so these were not checked" in text
    assert "nothing in it shows whether the eyewear was worn" in text
