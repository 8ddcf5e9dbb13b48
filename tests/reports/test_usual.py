"""The usual day in sentences and as a table."""

from eyelog.reports.usual import days_behind, usual_words
from support.reported import SIXTY, logs


def test_with_too_few_days_the_interval_is_not_guessed() -> None:
    assert "(" not in usual_words(logs(SIXTY, days=3), SIXTY, "worn_h")
    assert days_behind(logs(SIXTY, days=3), SIXTY) == (
        "Of 3 days of the 60-second log 3 count (worn for 4 h or more): not enough data for an"
        " interval (7 days needed)."
    )
