"""The app's event files: head movements, and what the phone takes its owner to be doing."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.importing import import_files

FAST = """date,type,subType,value
2026-10-20T10:00:01.250+0900,fastHeadMotion,left,2
2026-10-20T10:00:00.000+0900, fastHeadMotion, right,1
"""


def read(tmp_path: Path, text: str, tz: str = "Asia/Tokyo") -> pd.DataFrame:
    path = tmp_path / "20261020-100000_A1B2C3D4E5F6_events.csv"
    path.write_text(text)
    return el.read_events(path, tz=tz)


def test_dates_without_an_offset_are_in_the_zone_that_was_named(tmp_path):
    text = "date,type,subType,value\n2026/10/20 10:00:00.500,fastHeadMotion,up,1\n"
    assert str(read(tmp_path, text)["start"].iloc[0]) == "2026-10-20 10:00:00.500000+09:00"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "date,type,subType,value\nyesterday,fastHeadMotion,up,1\n",
            "'date' is 'yesterday', not",
        ),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,,up,1\n", "line 2: the event has no type"),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,a,up,many\n", "'many' is not a number"),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,a\n2026", "line 2: it has fewer columns"),
    ],
)
def test_a_line_that_is_no_event_is_named(tmp_path, text, why):
    with pytest.raises(el.ConfigurationError, match=why):
        read(tmp_path, text)


def test_messages_of_the_socket_are_events_too(tmp_path):
    lines = [
        '{"received":"2026-10-20T01:00:00.500Z","type":"fastHeadMotion","subType":"left","value":2}',
        '{"heartbeat":1}',
        '{"received":"2026-10-20T01:00:01Z","type":"slowHeadTilting","subType":"right","value":"-1"}',
        '{"received":"2026-10-20T01:00:02Z","latitude":35.7,"longitude":139.7}',
        '{"received":"2026-10-20T01:00:0',
    ]
    path = tmp_path / "other.jsonl"
    path.write_text("\n".join(lines))
    archive = el.Archive(tmp_path / "archive")
    (report,) = import_files(archive, [path])
    assert (report.status, report.read) == ("imported", 2)
    events = archive.events(tz="Asia/Tokyo")
    assert events["label"].tolist() == ["fast head motion left", "slow head tilting right"]
    assert events["value"].tolist() == [2.0, -1.0]
    assert str(events["start"].iloc[0]) == "2026-10-20 10:00:00.500000+09:00"


def test_a_last_line_that_breaks_off_is_left_out_with_a_warning(tmp_path):
    with pytest.warns(el.EyelogWarning, match="line 4 breaks off"):
        made = read(tmp_path, FAST + "2026-10-20T10:00:02.000+0900,fastHeadMotion,le")
    assert len(made) == 2
