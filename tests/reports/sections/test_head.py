"""Head movements and posture."""

import eyelog as el
from eyelog.reports.sections.head import section
from support.reported import SIXTY, cells, frame, logs


def test_nods_and_turns_are_per_worn_hour() -> None:
    nods = logs().usual(SIXTY, "head_moves_pitch_per_h").value
    assert f"the wearer nodded {nods:.0f} times per worn hour" in section(logs()).findings[0]


def test_the_zone_in_which_the_head_was_most_often_is_named() -> None:
    zones = el.posture.zones(frame(SIXTY, 9))["share"]
    low, high = zones.idxmax().split(" to ")
    said = f"between {low} and {high} degrees ({zones.max() * 100:.0f} %"
    assert said in section(logs()).findings[1]


def test_how_much_the_tilt_varies_is_said_in_degrees() -> None:
    found = el.posture.spread(frame(SIXTY, 9)).iloc[0]
    said = f"Its SD was {found['fore_aft_within']:.1f} degrees within intervals"
    assert said in section(logs()).findings[1]


def test_the_zones_are_those_of_the_library() -> None:
    table = section(logs()).tables[1]()
    assert list(cells(table)) == list(el.posture.zones(frame(SIXTY, 9)).index)
