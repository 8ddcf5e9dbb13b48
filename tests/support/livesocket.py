"""`eyelog listen` as a program or in the process of the tests, and what senders send to it."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

import eyelog as el
from eyelog_service.live import Listener


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
class _Server:
    """A server that listens, as senders see it."""

    address: str
    archive: Path

    def send(self, messages: list[Any], path: str = "") -> None:
        """Send messages over a connection of their own: text as it is, all else as JSON."""
        with connect(self.address + path, proxy=None, close_timeout=None) as connection:
            for each in messages:
                text = isinstance(each, str | bytes)
                connection.send(each if text else json.dumps(each))

    def said(self) -> list[str]:
        """What it has said so far, by lines."""
        raise NotImplementedError

    def wait_for(self, text: str) -> None:
        """Wait until it has said something."""
        deadline = time.monotonic() + 60
        while not any(text in line for line in self.said()):
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.02)

    def wait_for_lines(self, n: int) -> None:
        """Wait until the files that wait have that many messages."""
        deadline = time.monotonic() + 60
        while len(self.raw()) < n:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def raw(self) -> list[dict[str, Any]]:
        """The messages in the files that wait, up to the last whole line."""
        paths = sorted(self.archive.glob(".live/account=*/*.jsonl"))
        lines = [line for path in paths for line in path.read_bytes().split(b"\n")[:-1]]
        return [json.loads(line) for line in lines]


@dataclass
class Listening(_Server):
    """A running `eyelog listen`."""

    process: "subprocess.Popen[str]"
    errors: Path

    def stop(self) -> list[str]:
        """End it as Ctrl-C does; return what it said."""
        self.process.terminate()
        assert self.process.wait(60) == 0, self.said()
        return self.said()

    def said(self) -> list[str]:
        return self.errors.read_text().splitlines()


@dataclass
class ListeningHere(_Server):
    """A running `Listener` in a thread of this process."""

    page: str
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread
    end: asyncio.Event
    lines: list[str] = field(default_factory=list)

    def stop(self) -> list[str]:
        """End it as `eyelog listen` ends it; return what it said."""
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join(60)
        assert not self.thread.is_alive(), self.said()
        return self.said()

    def said(self) -> list[str]:
        return "\n".join(self.lines).splitlines()


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
            yield Listening(address, archive, process, errors)
        finally:
            process.kill()


@contextmanager
def listening_here(archive: Path, **settings: Any) -> Iterator[ListeningHere]:
    """Run a `Listener` at a free port, with its settings: in a tenth of the time of a program."""
    lines: list[str] = []
    ready = threading.Event()
    server: list[ListeningHere] = []
    listener = Listener(el.Archive(archive), say=lines.append, **settings)

    async def run() -> None:
        loop, end = asyncio.get_running_loop(), asyncio.Event()

        def started(port: int, page: str) -> None:
            address = f"ws://127.0.0.1:{port}"
            server.append(ListeningHere(address, archive, page, loop, thread, end, lines))
            ready.set()

        await listener.run(port=0, started=started, stop=end)

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    assert ready.wait(60)
    try:
        yield server[0]
    finally:
        if thread.is_alive():
            server[0].stop()
