"""Head movements and posture."""

import eyelog as el
from eyelog.reports.sections import head as section
from support.reported import SIXTY, frame, logs


def test_the_zones_are_those_of_the_library() -> None:
    table = section(logs()).files["tilt-zones"]()
    assert list(table.index) == list(el.posture.zones(frame(SIXTY, 9)).index)
