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

import eyelog as el
from support import live
from support.loggerfiles import zipped
from support.processes import group, left_after
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

    def is_at(self, moment: str) -> bool:
        """Return whether a moment of an upload has come; that of its answer ends the sending."""
        return moment == "sent" or (moment == "it is imported" and len(group(self.process.pid)) > 1)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        assert left_after(60, self.process.pid) == {}  # an import ends with its service
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
@pytest.mark.slow("a process is killed at many moments")
def test_an_upload_is_whole_or_absent_after_a_kill(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    registry, client_id, secret = live.make(archive, {"ada": []})
    bearer = {"Authorization": f"Bearer {registry.grants.issue_upload_token('ada')}"}
    there = live.Live("", archive, client_id, secret)
    draw = random.Random(7)
    whole = {FIFTEEN: 0, SIXTY: 0}
    outcomes = set()
    served = Served(archive)
    try:
        for at in range(8):
            # Two logs over the end of a month: four month files, each time of another month.
            night = f"{2016 + at // 4}-{('01', '03', '05', '08')[at % 4]}-31 23:00:15"
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
            moment = ("sent", "it is imported", "it is imported", "answered")[at % 4]
            while sending.is_alive() and not served.is_at(moment):
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.5) if at % 4 == 1 else 0)
            which = ("service", "import", "both")[at % 3]
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
            assert said == [200] or moment != "answered"
            outcomes.add(found == more)
            whole = found
    finally:
        served.end()
    assert len(el.Archive(archive).verify()) == 0
    assert outcomes == {True, False}
