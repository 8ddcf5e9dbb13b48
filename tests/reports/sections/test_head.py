"""Head movements and posture."""

import eyelog as el
from eyelog.reports.sections import head as section
from support.reported import SIXTY, cells, frame, logs


def test_the_zones_are_those_of_the_library() -> None:
    table = section(logs()).tables[1]()
    assert list(cells(table)) == list(el.posture.zones(frame(SIXTY, 9)).index)
