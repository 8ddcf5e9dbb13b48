"""Blinks, eye movements, scores."""

import pytest

import eyelog as el
from eyelog.reports.section_parts import Empty
from eyelog.reports.sections.eyes import section
from support.reported import FIFTEEN, SIXTY, cells, frame, logs, unworn


def test_the_rate_of_each_log_comes_with_the_interval_of_the_wearer() -> None:
    for log, said in zip((SIXTY, FIFTEEN), section(logs()).findings, strict=False):
        whole = el.blinks.rate(frame(log, 9), of="wearer").iloc[0]
        assert f"blinked {whole['rate_per_min']:.1f} times per minute" in said
        assert f"(95 % interval {whole['low']:.1f} to {whole['high']:.1f}, of this wearer)" in said


def test_the_extreme_hours_are_named_with_a_word_of_caution() -> None:
    hours = el.blinks.rate(frame(SIXTY, 9), by="hour")["rate_per_min"].dropna()
    said = section(logs()).findings[-1]
    assert f"lowest from {hours.idxmin():02d}:00" in said
    assert f"extremes of {len(hours)} hours" in said


def test_scores_are_those_of_the_15_second_log() -> None:
    table = section(logs()).tables[-1]()
    focus = logs().usual(FIFTEEN, "sc_fcs_mean")
    assert cells(table)["Focus"][0].startswith(f"{focus.value:.0f} (")
    files = [make().file for make in section(logs(SIXTY)).tables]
    assert "usual-scores.csv" not in files


def test_eyewear_that_was_never_worn_has_no_rate_and_says_why() -> None:
    with pytest.raises(Empty, match="no blink rate: too little usable time"):
        section(unworn())
