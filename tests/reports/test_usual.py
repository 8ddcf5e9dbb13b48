"""The usual day in sentences and as a table."""

import pytest

from eyelog.reports.section_parts import Empty
from eyelog.reports.usual import days_behind, require_days, usual_table, usual_words
from support.reported import FIFTEEN, SIXTY, cells, logs, unworn


def test_the_usual_day_is_said_with_unit_and_interval() -> None:
    found = logs().usual(SIXTY, "worn_h")
    assert usual_words(logs(), SIXTY, "worn_h") == (
        f"{found.value:.1f} h (95 % interval {found.low:.1f} to {found.high:.1f})"
    )
    assert usual_words(logs(), SIXTY, "steps", what="steps").split()[1] == "steps"


def test_with_too_few_days_the_interval_is_not_guessed() -> None:
    assert "(" not in usual_words(logs(SIXTY, days=3), SIXTY, "worn_h")
    assert days_behind(logs(SIXTY, days=3), SIXTY) == (
        "Of 3 days of the 60-second log 3 count (worn for 4 h or more): not enough data for an"
        " interval (6 days needed)."
    )


def test_a_section_that_needs_more_days_says_how_many_there_are() -> None:
    with pytest.raises(Empty, match="not enough data: 3 of the 8 days needed"):
        require_days(logs(SIXTY, days=3), SIXTY, 8)
    with pytest.raises(Empty, match="not enough data: 0 of 3 days with at least 4 h"):
        require_days(unworn(), FIFTEEN)


def test_the_table_has_a_row_per_quantity_and_a_column_per_log() -> None:
    table = usual_table(logs(), ["worn_h", "steps"], "Wear", "wear")
    assert [label for label, _ in table.headers] == [
        "Median of the days",
        "60-second log",
        "15-second log",
    ]
    assert list(cells(table)) == ["Worn (h)", "Steps"]
    assert table.csv.splitlines()[0] == "quantity,log,median,low,high,smallest,largest,days"
    assert table.file == "wear.csv"


def test_a_quantity_of_one_log_alone_leaves_the_other_out() -> None:
    table = usual_table(logs(), ["sc_fcs_mean"], "Scores", "scores")
    assert [label for label, _ in table.headers][1:] == ["15-second log"]


def test_nothing_measured_is_no_table() -> None:
    with pytest.raises(Empty, match="no day holds a value"):
        usual_table(unworn(), ["steps"], "Steps", "steps")
