"""What the contract says of the logs, as `eyelog.fields` shows it."""

from functools import cache
from typing import Any, Final

import eyelog as el

LOGS: Final = ("computed_data", "standard_mode_logs")
INTERVAL_SECONDS: Final = {"computed_data": 15, "standard_mode_logs": 60}


@cache
def columns(log: str) -> tuple[str, ...]:
    """The columns of a frame of a log: all fields but ``date``."""
    return tuple(name for name in el.fields(log).index if name != "date")


def history(frame: Any) -> list[dict[str, Any]]:
    """The steps that a frame remembers."""
    steps: list[dict[str, Any]] = frame.attrs["eyelog"]["history"]
    return steps
