"""A forked child shares neither locks nor connections with its parent."""

import os
import subprocess
import sys

import pytest
import requests

from eyelog.access.http.forks import PerProcess
from support import faulty
from support.authority import Authority
from support.paths import TESTS

# Forks

FORKED = """
import os, sys, threading, time
from pathlib import Path
from support import authority
from support.access import credentials, fresh, session_of
from eyelog.access.http.faults import refusal
from eyelog.access.http.forks import PerProcess
from eyelog.access.http.session import fetch
home, url = Path(sys.argv[1]), sys.argv[2]
who = credentials(home, url, saved=fresh())
sessions = PerProcess(lambda: session_of(who))
ask = lambda: fetch(sessions.get(), url + authority.DATA, where="data").status_code
assert ask() == 200
held = threading.Event()
def hold():
    with who._lock, sessions._lock:
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(0 if [ask(), ask()] == [200, 200] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_forked_child_uses_its_own_connection_and_no_lock_of_its_parent(home):
    with faulty.server(Authority(live={"access-token-0"})) as there:
        subprocess.run(
            [sys.executable, "-c", FORKED, str(home), there.url],
            cwd=TESTS,
            check=True,
            timeout=30,
        )
        parent, *child = (seen.client for seen in there.requests)
        assert len(child) == 2
        assert {parent}.isdisjoint(child)


def test_a_value_per_process_is_made_once_and_can_be_dropped():
    made = []
    sessions = PerProcess(lambda: made.append(1) or requests.Session())
    assert sessions.drop() is None
    assert sessions.get() is sessions.get()
    assert isinstance(sessions.drop(), requests.Session)
    sessions.get()
    assert len(made) == 2
