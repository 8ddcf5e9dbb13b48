"""What a service does in processes of its own, done in the process of the tests.

Each such process takes most of a second to import pandas, which is many times what its work takes.
That the processes answer as their functions do is tested in `service/test_apart.py`, and with a
service around them by the tests that take `in_processes`.
"""

import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from matplotlib import pyplot as plt

from eyelog_service import apart


def work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let services of this process start no other one."""
    monkeypatch.setattr(apart, "run", _run_here)


def _run_here(task: Callable[..., bytes], arguments: dict[str, Any], **_: Any) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return apart.run_here(task, json.loads(json.dumps(arguments)))
        finally:
            plt.close("all")  # which the end of a process does
