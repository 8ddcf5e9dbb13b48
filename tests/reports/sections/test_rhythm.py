"""The rhythm of the day."""

from eyelog.reports.sections import rhythm as section
from support.reported import SIXTY, cells, logs


def test_fewer_than_seven_days_have_no_sentence_on_how_alike_they_are() -> None:
    few, week = section(logs(SIXTY, days=5)), section(logs())
    assert not any("stability" in said for said in few.findings)
    rows = cells(few.tables[0]())
    assert rows["Interdaily stability (IS)"][-1].startswith("fewer than 7 days")
    assert any("days without a common pattern give" in said for said in week.findings)
