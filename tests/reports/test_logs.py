"""What a report takes, and what its sections read."""

import pandas as pd
import pytest

import eyelog as el
from eyelog.reports.logs import as_logs, fields_reported
from support.packets import packets
from support.reported import FIFTEEN, SIXTY, frame, logs


def test_two_frames_of_one_log_are_refused() -> None:
    with pytest.raises(el.MixedLogsError, match="one frame of each log"):
        as_logs([frame(FIFTEEN, 3), frame(FIFTEEN, 3)])


def test_a_recording_of_some_seconds_is_refused_by_its_rows() -> None:
    with pytest.raises(el.ConfigurationError, match="200 rows of the 20 Hz log are not even one"):
        as_logs(packets(200))


def test_frames_of_different_wearers_are_refused() -> None:
    ben = frame(SIXTY, 3).copy()
    ben.attrs = {"eyelog": {"log": SIXTY, "account": "ben"}}
    ada = frame(FIFTEEN, 3).copy()
    ada.attrs = {"eyelog": {"log": FIFTEEN, "account": "ada"}}
    with pytest.raises(el.ConfigurationError, match="different wearers"):
        as_logs([ben, ada])


def test_frames_in_different_zones_are_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="different zones"):
        as_logs([frame(FIFTEEN, 3), frame(SIXTY, 3).tz_convert("UTC")])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "needs a frame"),
        (3, "not a int"),
        (el.resample(el.sample(), "1h"), "resampled"),
        (el.sample().iloc[:0], "no records"),
    ],
)
def test_what_cannot_be_reported_is_refused(given: object, why: str) -> None:
    with pytest.raises(el.ConfigurationError, match=why):
        as_logs(given)


def test_an_empty_log_beside_a_full_one_is_left_out() -> None:
    assert list(as_logs([frame(FIFTEEN, 3), frame(SIXTY, 3).iloc[:0]]).frames) == [FIFTEEN]


def test_a_record_at_the_midnight_that_opens_the_range_adds_no_day() -> None:
    sixty = frame(SIXTY, 3)
    asked = sixty[sixty.index >= sixty.index[0].normalize() + pd.Timedelta("1D")]
    assert asked.index[0] == asked.index[0].normalize()
    found = as_logs(asked)
    assert list(found.calendar) == list(found.days(SIXTY).index)
    assert len(as_logs(asked.iloc[:1]).calendar) == 1  # there is nothing else to name


def test_a_pseudonym_leaves_no_name_in_the_history() -> None:
    named = frame(FIFTEEN, 3).copy()
    step = {"step": "import", "file": "ada.csv", "path": "/home/ada", "rows": 3, "tz": "UTC"}
    named.attrs = {"eyelog": {"log": FIFTEEN, "account": "ada", "history": [step]}}
    hidden = as_logs(named, name="P7")
    assert hidden.name == "P7"
    assert hidden.frames[FIFTEEN].attrs == {
        "eyelog": {
            "log": FIFTEEN,
            "account": "P7",
            "history": [{"step": "import", "rows": 3, "tz": "UTC"}],
        }
    }
    assert named.attrs["eyelog"]["account"] == "ada"


def test_a_masked_frame_has_the_same_days_under_a_pseudonym() -> None:
    masked = el.mask(frame(FIFTEEN, 3), el.flag(frame(FIFTEEN, 3)))
    assert as_logs(masked, name="P7").days(FIFTEEN).equals(as_logs(masked).days(FIFTEEN))


@pytest.mark.parametrize("log", [FIFTEEN, SIXTY])
def test_judging_once_gives_the_tables_of_the_library(log: str) -> None:
    records = frame(log, 9)
    pd.testing.assert_frame_equal(logs().days(log), el.daily(records))
    pd.testing.assert_frame_equal(logs().weeks(log), el.weekly(records))
    taken = records[[name for name in records if name in fields_reported(log)]]
    bins = el.resample(taken, "1h", min_coverage=0.5)
    pd.testing.assert_frame_equal(logs().bins(log, "1h"), bins)


def test_fields_that_no_summary_takes_do_not_count_among_the_values_that_were_lost() -> None:
    needed = set(el.fields(FIFTEEN, of="daily").index) | set(el.fields(FIFTEEN, of="gait").index)
    taken = set(logs().reasons(FIFTEEN).columns)
    assert needed <= taken
    assert not taken & {"in_co2", "lat", "bl"}
    with pytest.raises(el.ConfigurationError, match="none of the fields that a report takes"):
        as_logs(frame(FIFTEEN, 9)[["bl"]])
