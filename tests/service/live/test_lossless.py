"""What comes live is not lost: programs that are killed, many senders at once, fuzzed messages."""

import itertools
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import eyelog as el
from support.livesocket import listening, packet

CURRENT = "current_data"
pytestmark = [
    pytest.mark.slow("a process is killed at many moments"),
    pytest.mark.filterwarnings("ignore:unknown fields"),
]


def send_until_it_ends(address: str) -> None:
    """Send packets until the server is gone."""
    with suppress(ConnectionClosed, OSError), connect(address, proxy=None) as connection:
        for number in itertools.count():
            connection.send(json.dumps(packet(number)))


def test_what_was_written_when_a_program_is_killed_is_imported_by_the_next(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    kept: list[int] = []

    def written(before: set[Path]) -> int:
        new = set(archive.glob(".live/account=anna/*.jsonl")) - before
        return sum(path.read_bytes().count(b"\n") for path in new)

    for lines in (1, 30, 90, 200, 300, 400):
        before = set(archive.glob(".live/account=anna/*.jsonl"))
        with listening(archive, "--account", "anna") as there:
            sender = threading.Thread(target=send_until_it_ends, args=(there.address,))
            sender.start()
            while written(before) < lines:
                time.sleep(0.01)
            there.process.kill()
            there.process.wait()
            sender.join()
            kept.append(written(before))
    with listening(archive, "--account", "anna") as there:
        there.stop()
    found = el.Archive(archive).read(CURRENT, account="anna", tz="UTC")["index"].tolist()
    assert found == [number for count in kept for number in range(count)]


def test_twenty_senders_at_once_lose_no_row(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    labels = [word for n in range(20) for word in ("--device", f"g{n}=wearer-{n}")]
    with listening(archive, *labels) as there:
        with ThreadPoolExecutor(20) as pool:
            messages = [packet(number) for number in range(400)]
            sent = [pool.submit(there.send, messages, path=f"/g{n}") for n in range(20)]
            for each in sent:
                each.result()
        there.stop()
    for n in range(20):
        frame = el.Archive(archive).read(CURRENT, account=f"wearer-{n}", tz="UTC")
        assert frame["index"].tolist() == list(range(400))


def test_fuzzed_messages_harm_nobody(tmp_path: Path) -> None:
    draws = np.random.default_rng(2)
    good = json.dumps(packet(1)).encode()

    def fuzzed() -> bytes:
        data = bytearray(good)
        for _ in range(draws.integers(1, 8)):
            at = int(draws.integers(len(data)))
            match draws.integers(3):
                case 0:
                    data[at] = draws.integers(256)
                case 1:
                    del data[at : at + int(draws.integers(20))]
                case _:
                    data[at:at] = draws.bytes(int(draws.integers(1, 9)))
            data = data or bytearray(b"x")
        return bytes(data)

    with listening(tmp_path / "archive", "--account", "anna", "--device", "bad=bob") as there:
        with connect(there.address, proxy=None) as wearer:
            wearer.send(good)
            for _ in range(5):  # over several connections, as fast as each is read
                there.send([fuzzed() for _ in range(400)], path="/bad")
            wearer.send(good)
        said = there.stop()
    assert not any("Traceback" in line for line in said)
    counts = [re.findall(r"([\d,]+) (?:current_data|other|malformed)", line) for line in said]
    assert sum(int(n.replace(",", "")) for line in counts for n in line) == 2_002
    assert len(el.Archive(tmp_path / "archive").read(CURRENT, account="anna", tz="UTC")) == 2
