"""What a service does in processes of its own, done in the process of the tests.

Each such process takes most of a second to import pandas, which is many times what its work takes.
That the processes answer as their functions do is tested in `service/uploads/test_importer.py` and
`service/test_apart.py`, and with a service around them by the tests that take `in_processes`.
"""

import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from anyio import to_thread
from matplotlib import pyplot as plt
from starlette.requests import Request

import eyelog as el
from eyelog_service import uploads, wearer_page
from eyelog_service.uploads import import_upload
from eyelog_service.web import parts_of

__all__ = ["work_here"]


def work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let services of this process start no other one."""
    monkeypatch.setattr(uploads, "import_apart", _import_here)
    monkeypatch.setattr(wearer_page, "apart", _made_here)


def _import_here(told: dict[str, Any], **_: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer: dict[str, Any] = _sent(import_upload(**_sent(told)))
    return answer


async def _made_here(request: Request, task: Callable[..., bytes], **told: Any) -> bytes:
    limiter = parts_of(request).apart
    return await to_thread.run_sync(_run_here, task, told, limiter=limiter)


def _run_here(task: Callable[..., bytes], told: dict[str, Any]) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return task(**_sent(told))
        except el.EyelogError as error:
            raise uploads.Failed(f"{type(error).__name__}: {error}") from error
        finally:
            plt.close("all")  # which the end of a process does


def _sent(told: Any) -> Any:
    """Return what arrives of arguments or of an answer on its way as JSON."""
    return json.loads(json.dumps(told))
