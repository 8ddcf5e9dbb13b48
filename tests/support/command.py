"""The command `eyelog`, as it is installed."""

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points

(_command,) = entry_points(group="console_scripts", name="eyelog")
main: Callable[[Sequence[str]], int] = _command.load()
"""Run `eyelog` with these words and return its exit code."""
