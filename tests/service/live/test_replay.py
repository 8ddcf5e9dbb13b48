"""A recording, sent as the app sends it."""

import asyncio
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import eyelog as el
from eyelog_service.live import messages_of, replay
from support.livesocket import listening, packet
from support.packets import packets

CSV = (
    "//date,blinkSpeed,blinkStrength,roll,walking,sequenceNumber,id\n"
    "2019/08/22 07:34:26.673,   0, 0, -1.50,false,254, A1\n"
    "2019/08/22 07:34:26.723,120,80,  2,true,255,\n"
    "2019/08/22 07:34:26.803,0,0,3,0,0,A1\n"
)


@pytest.mark.parametrize("packed", [False, True])
def test_saved_messages_lose_the_stamp_of_their_receiver(tmp_path: Path, packed: bool) -> None:
    stamps = ["2026-10-19T10:00:00Z", "2026-10-19T10:00:02+00:00"]
    lines = [json.dumps({"received": stamp, **packet(7)}) for stamp in stamps]
    content = "\n".join([*lines, '{"received": "2026-']).encode()  # the last line breaks off
    path = tmp_path / ("saved.jsonl.gz" if packed else "saved.jsonl")
    path.write_bytes(gzip.compress(content) if packed else content)
    messages, seconds = messages_of(path)
    assert messages == [packet(7), packet(7)]
    assert seconds.tolist() == [0, 2]


def test_messages_without_a_stamp_come_at_the_interval_of_their_log(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    path.write_text("\n".join(json.dumps(packet(number)) for number in range(3)) + "\n")
    np.testing.assert_allclose(messages_of(path)[1], [0, 0.05, 0.1])


def test_a_line_that_is_no_message_is_named(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    path.write_text(json.dumps(packet(1)) + "\nno\n" + json.dumps(packet(2)) + "\n")
    with pytest.raises(el.ConfigurationError, match="line 2"):
        messages_of(path)


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(el.EyelogError, match="no line that is the header"):
        messages_of(path)
    with pytest.raises(el.ConfigurationError, match="there is no file"):
        messages_of(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speed_is_above_zero(tmp_path: Path, speed: float) -> None:
    with pytest.raises(el.ConfigurationError, match="a speed is a number above 0"):
        asyncio.run(replay(tmp_path / "run.csv", "ws://127.0.0.1:1", speed=speed))


@pytest.mark.parametrize(
    ("address", "kind"),
    [("http://127.0.0.1:1", el.ConfigurationError), ("ws://127.0.0.1:1", el.EyelogError)],
)
def test_a_server_that_is_not_there_is_named(tmp_path: Path, address: str, kind: type) -> None:
    path = tmp_path / "run.csv"
    path.write_text(CSV)
    with pytest.raises(kind, match=address):
        asyncio.run(replay(path, address))


@pytest.mark.slow("a recording is replayed by the clock")
def test_a_replayed_recording_arrives_whole_and_as_fast_as_asked(tmp_path: Path) -> None:
    frame = packets(400)
    path = tmp_path / "run_currentData.csv"
    frame.reset_index().to_csv(path, index=False)
    with listening(tmp_path / "archive", "--account", "anna") as there:
        assert asyncio.run(replay(path, there.address, speed=5)) == 400
        there.stop()
    received = el.Archive(tmp_path / "archive").read("current_data", account="anna", tz="UTC")
    assert received["roll"].tolist() == frame["roll"].tolist()
    assert received["blinkSpeed"].tolist() == frame["blinkSpeed"].tolist()
    lasted = (received.index[-1] - received.index[0]).total_seconds()
    assert lasted > 3.9  # 20 s at five times the speed
