"""The methods as an author writes them."""

import re

import pytest

import eyelog as el
from eyelog.errors import EyelogWarning
from eyelog.reports.logs import as_logs
from eyelog.reports.methods_text import methods
from support.reported import FIFTEEN, SIXTY, frame, logs


def test_versions_data_limits_losses_and_sources_are_filled_in() -> None:
    text = methods(logs())
    first, judged, sixty, fifteen, measures = text.paragraphs
    assert f"eyelog {el.__version__} (The eyelog maintainers, 2026)" in first
    assert f"{len(frame(SIXTY, 9)):,} records of the 60-second log" in first
    assert "(9 days, from midnight to midnight, Asia/Tokyo)" in first
    assert "differ from the defaults" not in judged
    assert "(kept: worn at least 20 s)" in sixty
    assert "(kept: isl false)" in fifteen
    assert "exact for a Poisson count (Garwood, 1936)" in measures
    assert any(line.startswith("Garwood, F. (1936)") for line in text.references)
    assert not re.search(r"  |\[@|nan", " ".join(text.paragraphs))


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


def test_only_the_measures_that_were_asked_for_are_defined() -> None:
    text = methods(logs(), ["eyes"])
    assert [item["id"] for item in text.sources] == ["eyelog", "garwood1936"]
    assert "Pace" not in " ".join(text.paragraphs)


def test_the_search_for_new_levels_is_told_with_the_own_usual_range() -> None:
    assert "New levels were sought as the clearest split" in " ".join(
        methods(logs(SIXTY), ["baseline"]).paragraphs
    )


def test_a_single_log_has_no_agreement() -> None:
    assert "Agreement" not in " ".join(methods(logs(FIFTEEN)).paragraphs)


def test_evidence_that_was_not_recorded_is_said() -> None:
    bare = frame(FIFTEEN, 3).drop(columns=["isl"])
    with pytest.warns(EyelogWarning, match="isl"):
        text = " ".join(methods(as_logs(bare)).paragraphs)
    assert "so these were not checked" in text
    assert "nothing in it shows whether the eyewear was worn" in text


def test_single_blinks_are_defined_by_the_limits_of_the_20_hz_log() -> None:
    rows = el.simulate("2026-10-20", 1, log="current_data", seed=2).iloc[:40_000]
    text = " ".join(methods(as_logs(rows)).paragraphs)
    assert "40,000 rows of the 20 Hz log" in text
    assert "15-second log made from it" in text
    assert "count with strength 35 to 250 and closed for 90 to 250 ms" in text
