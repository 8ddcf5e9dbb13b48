"""Programs in a Python process of their own."""

import atexit
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path


def python(
    program: str, *arguments: str, check: bool = True, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program text and return its output; with `check`, it must succeed."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=check,
        cwd=cwd,
    )


# Forks for each run, so that only the first imports what the program needs. A run ends itself
# before its n-th change of a file, so that a kill does not depend on the time.
KILLED = """
import contextlib, importlib, io, json, os, signal, sys, traceback

program = sys.argv.pop(1)

def count_changes(left):
    def count_change(event, details):
        nonlocal left
        opened = event == "open" and (details[2] or 0) & (os.O_WRONLY | os.O_RDWR)
        if opened or event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link"):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count_change)

def run(change, arguments):
    sys.argv[1:] = arguments
    code, said = 0, io.StringIO()
    count_changes(change)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            exec(program, {"__name__": "__main__", "sys": sys})
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            code = 1
            traceback.print_exc()
    return {"code": code, "said": said.getvalue(), "modules": list(sys.modules)}

for line in sys.stdin:
    change, arguments, environment = json.loads(line)
    out, into = os.pipe()
    child = os.fork()
    if not child:
        os.environ.clear()
        os.environ.update(environment)
        os.write(into, json.dumps(run(change, arguments)).encode())
        os._exit(0)
    os.close(into)
    with open(out) as pipe:
        ended = json.loads(pipe.read() or "{}")
    os.waitpid(child, 0)
    for name in ended.pop("modules", []):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    print(json.dumps(ended), flush=True)
"""


@cache
def _runs(program: str) -> subprocess.Popen[str]:
    runs = subprocess.Popen(
        [sys.executable, "-c", KILLED, program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        text=True,
    )
    atexit.register(runs.communicate)  # it ends with its input
    return runs


def killed_at(change: int, program: str, *arguments: str) -> bool:
    """Run a program that is killed before its n-th change of a file; return whether it was."""
    runs = _runs(program)
    assert runs.stdin is not None
    assert runs.stdout is not None
    print(json.dumps([change, arguments, dict(os.environ)]), file=runs.stdin, flush=True)
    ended = json.loads(runs.stdout.readline())
    assert ended.get("code", 0) == 0, ended["said"]
    return not ended


def group(leader: int) -> dict[int, str]:
    """Return the processes of a group that are not dead, with their names; Linux only."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            name, rest = (folder / "stat").read_text().rsplit(") ", 1)
            state, _, of = rest.split()[:3]
            if int(of) == leader and state not in "ZX":
                found[int(folder.name)] = name
    return found


def left_after(seconds: float, leader: int) -> dict[int, str]:
    """Return the processes of a group that do not end within the time."""
    end = time.monotonic() + seconds
    while (found := group(leader)) and time.monotonic() < end:
        time.sleep(0.02)
    return found
