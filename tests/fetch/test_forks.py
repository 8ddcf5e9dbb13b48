"""A forked child shares neither locks nor connections with its parent."""

import os
import subprocess
import sys

import pytest

from support import faulty
from support.paged import Paged
from support.paths import TESTS

FORKED = """
import os, sys, threading, time
import eyelog as el
token = el.Token("access-token-of-tests")
client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=1)
assert len(client.standard_mode_logs("2024-03-01", "2024-03-01")) == 24
held = threading.Event()
def hold():
    with client.credentials._locked():
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    frame = client.standard_mode_logs("2024-03-02", "2024-03-02")
    os._exit(0 if len(frame) == 24 else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_forked_child_uses_its_own_connection_and_no_lock_of_its_parent(home):
    with faulty.server(Paged(size=100)) as there:
        subprocess.run(
            [sys.executable, "-c", FORKED, there.url, str(home)],
            cwd=TESTS,
            check=True,
            timeout=240,  # a deadlock, however busy the machine
        )
        parent, child = (seen.client for seen in there.requests)
        assert parent != child
