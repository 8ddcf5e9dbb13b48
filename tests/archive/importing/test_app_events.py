"""The app's event files: head movements, and what the phone takes its owner to be doing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.importing.app_events import events_of
from eyelog.archive.importing.intake import import_files

FAST = """date,type,subType,value
2026-10-20T10:00:01.250+0900,fastHeadMotion,left,2
2026-10-20T10:00:00.000+0900, fastHeadMotion, right,1
"""
SLOW = "date,type,subType,value,\n2026-10-20T01:00:05.000Z,slowHeadTilting,forward,-1\n"
ACTIVITY = """date,stationary,walking,running,automotive,cycling,unknown,confidence
2026-10-20T01:00:00Z,true,false,false,false,false,false,2
2026-10-20T01:10:00Z,0,1,0,1,0,0,1
2026-10-20T01:30:00Z,0,0,0,0,0,1,0
"""


def read(tmp_path: Path, text: str, tz: str = "Asia/Tokyo") -> pd.DataFrame:
    path = tmp_path / "20261020-100000_A1B2C3D4E5F6_events.csv"
    path.write_text(text)
    return el.read_events(path, tz=tz)


def test_head_motions_are_moments_with_their_number_in_order_of_time(tmp_path):
    made = read(tmp_path, FAST)
    assert made["label"].tolist() == ["fast head motion right", "fast head motion left"]
    assert made["kind"].tolist() == ["head motion"] * 2
    assert made["value"].tolist() == [1.0, 2.0]
    assert made["end"].isna().all()
    assert str(made["start"].iloc[1]) == "2026-10-20 10:00:01.250000+09:00"


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_events_that_a_spreadsheet_has_saved_are_the_same(tmp_path, delimiter):
    found = read(tmp_path, FAST.replace(",", delimiter))
    pd.testing.assert_frame_equal(found, read(tmp_path, FAST))


def test_slow_head_motions_keep_the_sign_of_their_value(tmp_path):
    made = read(tmp_path, SLOW)
    assert made["label"].tolist() == ["slow head tilting forward"]
    assert made["value"].tolist() == [-1.0]


def test_an_activity_lasts_until_the_next_one(tmp_path):
    made = read(tmp_path, ACTIVITY)
    assert made["label"].tolist() == ["stationary", "walking and automotive", "unknown"]
    assert made["kind"].tolist() == ["phone activity"] * 3
    assert (made["end"].iloc[:2] == made["start"].iloc[1:].to_numpy()).all()
    assert pd.isna(made["end"].iloc[2])
    assert made["value"].tolist() == [2.0, 1.0, 0.0]


def test_activities_label_the_rows_of_a_frame(tmp_path):
    frame = el.simulate("2026-10-20", 1, tz="Asia/Tokyo")
    with pytest.warns(el.EyelogWarning, match="1 of 3 events are moments"):
        labels = el.label(frame, read(tmp_path, ACTIVITY))
    assert labels.dropna().unique().tolist() == ["stationary", "walking and automotive"]
    table = el.blinks.rate(frame, by=labels)
    assert table.index.tolist() == ["stationary", "walking and automotive"]


def test_dates_without_an_offset_are_in_the_zone_that_was_named(tmp_path):
    text = "date,type,subType,value\n2026/10/20 10:00:00.500,fastHeadMotion,up,1\n"
    assert str(read(tmp_path, text)["start"].iloc[0]) == "2026-10-20 10:00:00.500000+09:00"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("date,type,subType,value\nyesterday,fastHeadMotion,up,1\n", "line 2: 'yesterday' is not"),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,,up,1\n", "line 2: the event has no type"),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,a,up,many\n", "'many' is not a number"),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,a\n2026", "line 2: it has fewer columns"),
    ],
)
def test_a_line_that_is_no_event_is_named(tmp_path, text, why):
    with pytest.raises(el.ConfigurationError, match=why):
        read(tmp_path, text)


def test_a_file_without_events_has_none(tmp_path):
    made = read(tmp_path, "date,type,subType,value\n")
    assert made.empty
    assert made.columns.tolist() == ["start", "end", "label", "kind", "value"]


def test_other_texts_are_no_events():
    for text in ("", "start,label\n2026-10-20,holiday\n", "a\n" * 200, "\0\0"):
        assert events_of(text, "UTC") is None


def test_diaries_have_the_same_columns(tmp_path):
    made = read(tmp_path, "start,end,label\n2026-10-20 09:00,2026-10-20 10:00,work\n")
    assert made["kind"].tolist() == ["diary"]
    assert np.isnan(made["value"].iloc[0])


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
