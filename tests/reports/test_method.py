"""The method: definitions, limits, recipe."""

from eyelog.reports.method import method
from support.reported import FIFTEEN, logs


def test_each_limit_stands_with_its_source() -> None:
    (table,) = (make() for make in method(logs(FIFTEEN), {}, []).tables)
    rows = {row[0]: row for row in table.rows}
    day = "Day that counts: wear in a day"
    assert rows[day][1:] == ["at least 4 h", "eyelog"]
    assert f"{day},at least 4 h,15-second log,eyelog" in table.csv.splitlines()
    assert all(row[2] for row in table.rows)
