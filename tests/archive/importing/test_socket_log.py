"""Messages of the app's WebSocket, as a receiver has written them down."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.importing.intake import import_files
from support.packets import CURRENT, packets


def messages_of(frame: pd.DataFrame, *, text: bool = False) -> list[dict[str, Any]]:
    """Return a message for each row: without a date, as the app sends it."""
    found = []
    for at, row in zip(frame.index, frame.to_dict("records"), strict=True):
        values = {name: bool(v) if v is True or v is False else float(v) for name, v in row.items()}
        if text:
            values = {
                name: str(v).lower() if isinstance(v, bool) else f"{v:g}"
                for name, v in values.items()
            }
        found.append({"received": at.isoformat().replace("+00:00", "Z"), **values})
    return found


def save(path: Path, messages: list[Any], end: str = "\n") -> Path:
    path.write_text("\n".join(map(json.dumps, messages)) + end)
    return path


@pytest.mark.parametrize("text", [False, True])
def test_messages_are_read_as_rows_stamped_by_their_receiver(tmp_path: Path, text: bool) -> None:
    frame = packets(50)
    path = save(tmp_path / "a.jsonl", messages_of(frame, text=text))
    pd.testing.assert_frame_equal(el.read(path, tz="UTC"), frame, check_freq=False)


def test_a_date_of_the_sender_stands_over_the_stamp_of_the_receiver(tmp_path: Path) -> None:
    message = {"received": "2026-10-20T10:00:01Z", "date": "2026-10-20T10:00:00.5Z", "accX": 3}
    frame = el.read(save(tmp_path / "a.jsonl", [message]), tz="UTC")
    assert frame.index[0] == pd.Timestamp("2026-10-20T10:00:00.5Z")
    assert list(frame) == ["accX"]


def test_a_field_that_the_sender_leaves_out_is_missing_and_no_column_if_it_never_comes(
    tmp_path: Path,
) -> None:
    messages = messages_of(packets(3))
    for message in messages:
        del message["eyeMoveRight"]
    del messages[1]["roll"]
    frame = el.read(save(tmp_path / "a.jsonl", messages), tz="UTC")
    assert "eyeMoveRight" not in frame
    assert frame["roll"].isna().tolist() == [False, True, False]


def test_a_last_line_that_is_cut_off_is_left_out_with_a_warning(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", messages_of(packets(5)), end="")
    path.write_text(path.read_text()[:-20])
    with pytest.warns(el.EyelogWarning, match="last line breaks off"):
        assert len(el.read(path, tz="UTC")) == 4


def test_lines_that_are_no_messages_are_counted_and_heartbeats_are_none(tmp_path: Path) -> None:
    messages = messages_of(packets(5))
    del messages[3]["received"]
    path = save(tmp_path / "a.jsonl", [{"heartbeat": 1}, *messages[:2], {"heartbeat": 2}])
    path.write_text(path.read_text() + "junk\n" + "\n".join(map(json.dumps, messages[2:])) + "\n")
    with pytest.warns(el.EyelogWarning, match=r"left out 2 of 6 lines .*line 5: .*; line 7: "):
        assert len(el.read(path, tz="UTC")) == 4


def test_messages_of_several_kinds_go_their_own_ways(tmp_path: Path) -> None:
    rows = messages_of(packets(40))
    record = {"received": "2026-10-20T10:00:15Z", "stepCount": "3", "isStill": "0"}
    event = {"type": "fastHeadMotion", "subType": "left", "value": 2}
    path = save(tmp_path / "a.jsonl", [*rows[:20], record, event, *rows[20:]])
    with pytest.warns(el.EyelogWarning) as caught:
        frame = el.read(path, log=CURRENT, tz="UTC")
    said = "; ".join(str(each.message) for each in caught)
    assert "left out: 1 message of another kind: 1 with head-motion events" in said
    assert len(frame) == 40
    with pytest.warns(el.EyelogWarning) as caught:
        assert el.read(path, tz="UTC")["stp"].tolist() == [3.0]
    assert "it has messages of the 20 Hz log too" in "; ".join(str(w.message) for w in caught)
    archive = el.Archive(tmp_path / "archive")
    with pytest.warns(el.EyelogWarning):
        reports = import_files(archive, [path], tz="UTC")
    assert [report.kept for report in reports] == [1, 40]
    assert len(archive.read(CURRENT, tz="UTC")) == 40
    assert len(archive.read("computed_data", tz="UTC")) == 1


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([{"heartbeat": 1}], "nothing but heartbeats"),
        ([{"type": "x", "subType": "left", "value": 2}], "it has head-motion events"),
        ([{"accX": 1, "accY": 2}] * 3, "none of its 3 messages is a record .*received"),
        ([{"accX": "much", "received": "2026-10-20T10:00:00Z"}], "'accX' is not a number"),
    ],
)
def test_a_file_without_a_record_is_refused_and_says_why(
    tmp_path: Path, lines: list[Any], says: str
) -> None:
    with pytest.raises(el.ArchiveError, match=says):
        el.read(save(tmp_path / "a.jsonl", lines), tz="UTC")
