"""The command line: thin commands over the Python names.

Tables go to stdout; progress, warnings and errors to stderr. Exit status: 0 success, 1 a failure
with one line that says why, 2 wrong usage, 130 interrupted.
"""

from eyelog.cli.main import main

__all__ = ["main"]
