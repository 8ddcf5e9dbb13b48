"""How far the two logs agree."""

import pytest

import eyelog as el
from eyelog.reports.section_parts import Empty
from eyelog.reports.sections.agreement import label, section
from support.reported import FIFTEEN, SIXTY, cells, frame, logs


def test_the_sentence_gives_bias_and_limits() -> None:
    row = el.compare.agreement(frame(FIFTEEN, 9), frame(SIXTY, 9)).loc["blinks_weak"]
    said = section(logs()).findings[0]
    above = f"the 60-second log is {-row['bias']:.2f} per min above the 15-second log in blinks"
    assert f"{above} (weak cleansing)" in said
    assert said.endswith(f"are {row['low']:.1f} and {row['high']:.1f} per min.")


def test_a_difference_is_claimed_only_where_the_interval_of_the_bias_excludes_0() -> None:
    table = el.compare.agreement(frame(FIFTEEN, 9), frame(SIXTY, 9))
    known = table[table["reason"] == ""]
    apart = int(((known["bias_low"] > 0) | (known["bias_high"] < 0)).sum())
    assert section(logs()).findings[1].startswith(f"For {apart} of {len(known)} quantities")


def test_the_table_has_every_quantity_in_words() -> None:
    table = el.compare.agreement(frame(FIFTEEN, 9), frame(SIXTY, 9))
    rows = cells(section(logs()).tables[0]())
    assert list(rows) == [label(str(name)) for name in table.index]
    assert rows["Time worn"][0] == "s per min"


def test_one_log_alone_has_nothing_to_agree_with() -> None:
    with pytest.raises(Empty, match="the 60-second log was not given"):
        section(logs(FIFTEEN))


def test_landing_impacts_have_the_digits_that_show_a_difference() -> None:
    rows = cells(section(logs()).tables[0]())
    assert all(
        len(rows[f"Landing impact, {side} foot"][3].split(".")[1]) == 3
        for side in ("right", "left")
    )
    assert len(rows["Steps"][3].split(".")[1]) == 2


@pytest.mark.parametrize(("days", "units"), [(9, "days"), (3, "blocks of an hour")])
def test_the_page_says_what_the_intervals_take_to_be_independent(days: int, units: str) -> None:
    said = section(logs(days=days)).findings[1]
    assert f"The units are {units}" in said
    assert ("57 to 59 of 100" in said) == (days < 6)
