"""A recording, sent by `eyelog replay` as the app sends it."""

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from support.command import main
from support.livesocket import listening_here, packet
from support.packets import packets

CSV = (
    "//date,blinkSpeed,blinkStrength,roll,walking,sequenceNumber,id\n"
    "2019/08/22 07:34:26.673,   0, 0, -1.50,false,254, A1\n"
    "2019/08/22 07:34:26.723,120,80,  2,True,255,null\n"
    "2019/08/22 07:34:27.203,0,0,3,0,0,[1]\n"
)
STAMPS = ["2026-10-19T10:00:00Z", "2026-10-19T10:00:02+00:00"]
SAVED = "\n".join(
    [json.dumps({"received": stamp, **packet(7)}) for stamp in STAMPS] + ['{"received": "2026-']
).encode()  # the last line breaks off
BARE = "\n".join(json.dumps(packet(number)) for number in range(21)).encode() + b"\n"


def arrived(tmp_path: Path, name: str, content: bytes, speed: str = "1") -> list[dict[str, Any]]:
    """Send a file to a server, and return what its files have, in the order of arrival."""
    path = tmp_path / name
    path.write_bytes(content)
    with listening_here(tmp_path / "archive", account="anna") as there:
        assert main(["replay", str(path), "--to", there.address, "--speed", speed]) == 0
        there.stop()
    (packed,) = (tmp_path / "archive").glob(".live/*/*.gz")
    lines = gzip.decompress(packed.read_bytes()).splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
@pytest.mark.parametrize(
    ("name", "content", "seconds"),
    [
        ("saved.jsonl", SAVED, 2.0),
        ("saved.jsonl.gz", gzip.compress(SAVED), 2.0),
        ("bare.jsonl", BARE, 1.0),  # without a stamp they come at the interval of their log
        ("run.csv", CSV.encode(), 0.53),
    ],
)
def test_messages_arrive_as_they_were_made_but_for_their_stamps(
    tmp_path: Path, name: str, content: bytes, seconds: float
) -> None:
    got = arrived(tmp_path, name, content)
    stamps = pd.to_datetime([row.pop("received") for row in got])
    assert (stamps[-1] - stamps[0]).total_seconds() == pytest.approx(seconds, abs=0.4)
    first = {"blinkSpeed": 0, "blinkStrength": 0, "roll": -1.5, "walking": False}
    expected = {
        "saved": [packet(7)] * 2,
        "bare": [packet(number) for number in range(21)],
        "run": [
            first | {"sequenceNumber": 254, "id": "A1"},
            {"blinkSpeed": 120, "blinkStrength": 80, "roll": 2, "walking": True}
            | {"sequenceNumber": 255, "id": "null"},
            first | {"roll": 3, "walking": 0, "sequenceNumber": 0, "id": "[1]"},
        ],
    }
    assert got == expected[name.partition(".")[0]]


def test_a_recording_is_sent_as_fast_as_asked_and_200_in_a_second_at_most(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = packets(400)
    got = arrived(tmp_path, "run.csv", frame.reset_index().to_csv(index=False).encode(), "1000")
    assert [row["roll"] for row in got] == frame["roll"].tolist()
    assert capsys.readouterr().err.startswith("400 messages sent to ws://127.0.0.1:")
    stamps = pd.to_datetime([got[0]["received"], got[-1]["received"]])
    assert (stamps[1] - stamps[0]).total_seconds() == pytest.approx(2, abs=0.8)


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        (f"{json.dumps(packet(1))}\nno\n{json.dumps(packet(2))}\n", [], "line 2: not a JSON"),
        ("a,b\n1,2\n", [], "no line that is the header"),
        (None, [], "there is no file"),
        (CSV, ["--speed", "0"], "a speed is a number above 0, not 0"),
        (CSV, ["--speed", "nan"], "a speed is a number above 0, not nan"),
        (CSV, ["--to", "http://127.0.0.1:1"], "'http://127.0.0.1:1' is not an address such as"),
        (CSV, ["--to", "ws://127.0.0.1:1"], "is eyelog listen running there?"),
    ],
)
def test_what_cannot_be_sent_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
    words: list[str],
    message: str,
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_text(content)
    assert main(["replay", str(path), "--to", "ws://127.0.0.1:1", *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
