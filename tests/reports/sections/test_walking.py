"""Steps, pace, bouts."""

import eyelog as el
from eyelog.reports.sections import walking as section
from support.reported import FIFTEEN, SIXTY, frame, logs


def test_the_pace_is_that_of_the_library() -> None:
    pace = el.gait.pace(frame(SIXTY, 9)).iloc[0]
    assert f"was {pace['pace_spm']:.0f} steps per minute" in section(logs()).findings[1]


def test_the_shares_of_the_speed_classes_are_said() -> None:
    found = el.gait.speed_classes(frame(SIXTY, 9)).iloc[0]
    assert f"{found['share_slow'] * 100:.0f} % slow" in section(logs()).findings[1]
    assert "% slow" not in " ".join(section(logs(FIFTEEN)).findings)
