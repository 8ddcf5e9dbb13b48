"""Uploads while processes are killed: in the archive as a whole, or not at all."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests

import eyelog as el
from support import live
from support.loggerfiles import zipped
from support.processes import group, left_after
from support.uploads import FIFTEEN, SIXTY, csv, stored

SERVE = [sys.executable, "-m", "eyelog", "serve", "--uploads-per-hour", "0", "--port", "0"]


@contextmanager
def served(archive: Path) -> Iterator[tuple[int, str]]:
    """Run `eyelog serve` as a process group of its own, until it is killed; give its address."""
    command = [*SERVE, "--archive", str(archive)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        try:
            yield process.pid, process.stderr.readline().split()[-1]
        finally:
            process.kill()
            process.wait()
            assert left_after(60, process.pid) == {}  # an import ends with its service


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
@pytest.mark.slow("a process is killed at many moments")
def test_an_upload_is_whole_or_absent_after_a_kill(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    registry, client_id, secret = live.make(archive, {"ada": []})
    bearer = {"Authorization": f"Bearer {registry.grants.issue_upload_token('ada')}"}
    there = live.Live("", archive, client_id, secret)
    draw = random.Random(7)
    whole, outcomes = {FIFTEEN: 0, SIXTY: 0}, set()
    for at in range(8):
        # Two logs over the end of a month: four month files, each time of another month.
        night = f"{2016 + at // 4}-{('01', '03', '05', '08')[at % 4]}-31 23:00:15"
        box = zipped({"a.csv": csv(FIFTEEN, night, 480), "b.csv": csv(SIXTY, night, 120)})
        moment = ("sent", "it is imported", "it is imported", "answered")[at % 4]
        said: list[int] = []

        def send(url: str, box: bytes = box, said: list[int] = said) -> None:
            with suppress(requests.RequestException):
                answer = requests.post(f"{url}/v1/records", data=box, headers=bearer, timeout=60)
                said.append(answer.status_code)

        with served(archive) as (service, url):
            sending = threading.Thread(target=send, args=[url])
            sending.start()
            while sending.is_alive() and moment != "sent":  # the answer ends the sending
                if moment == "it is imported" and len(group(service)) > 1:
                    break
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.5) if at % 4 == 1 else 0)
            importing = [pid for pid in group(service) if pid != service]
            which = ([service], importing, [service, *importing])[at % 3]
            for pid in which:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if which is importing:
                sending.join()
        sending.join()
        with live.running(archive):  # which clears up
            found = {**dict.fromkeys(whole, 0), **stored(there)}
            assert not any(path.is_file() for path in (archive / ".uploads").glob("*/**/*"))
            assert not [*archive.rglob("*.tmp"), *archive.glob(".together-*")]
        more = {FIFTEEN: whole[FIFTEEN] + 480, SIXTY: whole[SIXTY] + 120}
        assert found in (whole, more)
        if said == [200]:
            assert found == more
        assert said == [200] or moment != "answered"
        outcomes.add(found == more)
        whole = found
    assert len(el.Archive(archive).verify()) == 0
    assert outcomes == {True, False}
