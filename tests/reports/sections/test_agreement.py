"""How far the two logs agree."""

import pytest

import eyelog as el
from eyelog.reports.parts import Empty
from eyelog.reports.sections.agreement import label, section
from support.reported import FIFTEEN, SIXTY, cells, frame, logs


def test_the_sentence_gives_bias_and_limits() -> None:
    row = el.compare.agreement(frame(FIFTEEN, 9), frame(SIXTY, 9)).loc["blinks_weak"]
    said = section(logs()).findings[0]
    assert f"the 60-second log has {-row['bias']:.2f} per min more blinks (weak cleansing)" in said
    assert f"lies between {row['low']:.1f} and {row['high']:.1f}." in said


def test_the_table_has_every_quantity_in_words() -> None:
    table = el.compare.agreement(frame(FIFTEEN, 9), frame(SIXTY, 9))
    rows = cells(section(logs()).tables[0]())
    assert list(rows) == [label(str(name)) for name in table.index]
    assert rows["Time worn"][0] == "s per min"


def test_one_log_alone_has_nothing_to_agree_with() -> None:
    with pytest.raises(Empty, match="the 60-second log was not given"):
        section(logs(FIFTEEN))
