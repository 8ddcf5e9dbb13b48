"""Messages of the app's WebSocket, as a receiver has written them down."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from support.importing import import_files
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


def test_a_message_is_known_by_any_key_of_its_first_line(tmp_path: Path) -> None:
    lines = [
        f'{{"app": "x", "received": "2026-10-21T00:0{n}:00Z", "fitDuration": {n}}}'
        for n in range(3)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.warns(el.EyelogWarning, match="app"):
        frame = el.read(tmp_path / "a.jsonl")
    assert frame["wea_s"].tolist() == [0, 1, 2]
