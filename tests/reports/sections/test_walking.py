"""Steps, pace, bouts."""

import eyelog as el
from eyelog.reports.sections.walking import section
from support.reported import FIFTEEN, SIXTY, cells, frame, logs


def test_steps_are_said_to_be_a_lower_bound() -> None:
    steps = logs().usual(SIXTY, "steps").value
    said = section(logs()).findings[0]
    assert said.startswith(f"On a usual day the wearer took {steps:,.0f} steps (95 % interval ")
    assert said.endswith("so the true number is at least this.")


def test_the_pace_is_that_of_the_library() -> None:
    pace = el.gait.pace(frame(SIXTY, 9)).iloc[0]
    assert f"was {pace['pace_spm']:.0f} steps per minute" in section(logs()).findings[1]
    usual = logs().usual(SIXTY, "pace_spm")
    interval = f"{usual.value:.0f} steps per minute (95 % interval {usual.low:.0f} to"
    assert interval in section(logs()).findings[1]


def test_the_bouts_are_counted_and_the_longest_are_shown() -> None:
    found = el.gait.bouts(frame(SIXTY, 9))
    part = section(logs())
    assert f"There were {len(found):,} walking bouts" in part.findings[2]
    table = part.tables[-1]()
    lengths = [float(row[1]) for row in table.rows]
    assert lengths == sorted(found["duration_min"].round(1), reverse=True)[:5]
    assert len(table.csv.splitlines()) == 1 + len(found)


def test_the_shares_of_the_speed_classes_are_said() -> None:
    found = el.gait.speed_classes(frame(SIXTY, 9)).iloc[0]
    assert f"{found['share_slow'] * 100:.0f} % slow" in section(logs()).findings[3]
    assert len(section(logs(FIFTEEN)).findings) == 3


def test_peak_cadences_fall_with_the_number_of_minutes() -> None:
    rows = cells(section(logs()).tables[1]())
    peaks = [float(row[0].split()[0]) for row in rows.values()]
    assert list(rows) == ["Busiest minute", "Busiest 30 minutes", "Busiest 60 minutes"]
    assert peaks == sorted(peaks, reverse=True)
