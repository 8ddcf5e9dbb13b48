"""`eyelog listen` as a program, and what senders send to it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.sync.client import connect


def packet(number: int, **changes: Any) -> dict[str, Any]:
    """One message of the 20 Hz log as the app sends it; `eyeMoveUp` counts beyond the 256."""
    row = {
        "blinkSpeed": 0,
        "blinkStrength": 0,
        "eyeMoveUp": 0,
        "eyeMoveDown": 0,
        "eyeMoveLeft": 0,
        "eyeMoveRight": 0,
        "roll": 1.25,
        "pitch": -3.5,
        "yaw": 180.0,
        "accX": 0,
        "accY": 3,
        "accZ": 16,
        "walking": 0,
        "noiseStatus": 0,
        "fitError": 0,
        "powerLeft": 4,
        "sequenceNumber": number % 256,
        "index": number,
    }
    return row | changes


def as_text(row: dict[str, Any]) -> dict[str, str]:
    """A message as the public sample sender makes it: every value text, `eyeMoveRight` missing."""
    return {key: str(value) for key, value in row.items() if key != "eyeMoveRight"}


@dataclass
class Listening:
    """A running `eyelog listen`."""

    process: "subprocess.Popen[str]"
    address: str
    archive: Path
    errors: Path

    def send(self, messages: list[Any], path: str = "") -> None:
        """Send messages over a connection of their own: text as it is, all else as JSON."""
        with connect(self.address + path, proxy=None, close_timeout=None) as connection:
            for each in messages:
                text = isinstance(each, str | bytes)
                connection.send(each if text else json.dumps(each))

    def stop(self) -> list[str]:
        """End it as Ctrl-C does; return what it said."""
        self.process.terminate()
        assert self.process.wait(60) == 0, self.said()
        return self.said()

    def said(self) -> list[str]:
        return self.errors.read_text().splitlines()

    def raw(self) -> list[dict[str, Any]]:
        """The messages in the files that wait, up to the last whole line."""
        paths = sorted(self.archive.glob(".live/account=*/*.jsonl"))
        lines = [line for path in paths for line in path.read_bytes().split(b"\n")[:-1]]
        return [json.loads(line) for line in lines]


@contextmanager
def listening(archive: Path, *words: str) -> Iterator[Listening]:
    """Run `eyelog listen` at a free port; it is killed at the end."""
    archive.parent.mkdir(exist_ok=True)
    errors = archive.with_name(f"{archive.name}.err")
    command = [sys.executable, "-m", "eyelog", "listen", "--archive", str(archive), "--port", "0"]
    with (
        errors.open("w") as sink,
        subprocess.Popen(
            [*command, *words], stdout=subprocess.PIPE, stderr=sink, text=True
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert " at ws" in line, errors.read_text()
            address = next(word for word in line.split() if word.startswith("ws"))
            yield Listening(process, address, archive, errors)
        finally:
            process.kill()
