"""Uploads while processes are killed: in the archive as a whole, or not at all."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
import requests

from eyelog.archive.store import Archive
from support import live
from support.loggerfiles import zipped
from support.processes import group
from support.uploads import FIFTEEN, SIXTY, csv, stored

SERVE = [sys.executable, "-m", "eyelog", "serve", "--uploads-per-hour", "0", "--port", "0"]


class Served:
    """`eyelog serve` as a process group of its own."""

    def __init__(self, archive: Path) -> None:
        self.process = subprocess.Popen(
            [*SERVE, "--archive", str(archive)],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stderr is not None
        self.url = self.process.stderr.readline().split()[-1]

    def kill(self, which: str) -> None:
        importing = [pid for pid in group(self.process.pid) if pid != self.process.pid]
        for pid in {"service": [self.process.pid], "import": importing}.get(
            which, [self.process.pid, *importing]
        ):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        end = time.monotonic() + 10
        while group(self.process.pid) and time.monotonic() < end:
            time.sleep(0.01)  # an import ends with its service
        assert not group(self.process.pid)
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
@pytest.mark.slow
def test_an_upload_is_whole_or_absent_after_fifty_kills(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    registry, client_id, secret = live.make(archive, {"ada": []})
    bearer = {"Authorization": f"Bearer {registry.grants.issue_upload_token('ada')}"}
    there = live.Live("", archive, registry, client_id, secret)
    draw = random.Random(7)
    whole = {FIFTEEN: 0, SIXTY: 0}
    outcomes = set()
    served = Served(archive)
    try:
        for at in range(50):
            # Two logs over the end of a month: four month files, each time of another year.
            night = f"{2030 + at}-10-31 23:00:15"
            box = zipped({"a.csv": csv(FIFTEEN, night, 480), "b.csv": csv(SIXTY, night, 120)})
            said: list[int] = []

            def send(url: str, box: bytes = box, said: list[int] = said) -> None:
                with suppress(requests.RequestException):
                    answer = requests.post(
                        f"{url}/v1/records", data=box, headers=bearer, timeout=60
                    )
                    said.append(answer.status_code)

            sending = threading.Thread(target=send, args=[served.url])
            sending.start()
            time.sleep(draw.uniform(0, 5))
            which = draw.choice(["service", "import", "both"])
            served.kill(which)
            if which == "import":
                sending.join()
            served.end()
            sending.join()
            served = Served(archive)
            found = {**dict.fromkeys(whole, 0), **stored(there)}
            assert not any(path.is_file() for path in (archive / ".uploads").glob("*/**/*"))
            assert not list(archive.rglob("*.tmp"))
            assert not list(archive.glob(".together-*"))
            more = {FIFTEEN: whole[FIFTEEN] + 480, SIXTY: whole[SIXTY] + 120}
            assert found in (whole, more)
            if said == [200]:
                assert found == more
            outcomes.add(found == more)
            whole = found
    finally:
        served.end()
    assert len(Archive(archive).verify()) == 0
    assert outcomes == {True, False}  # some kills came in time, and some too late
