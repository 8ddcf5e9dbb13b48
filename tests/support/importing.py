"""Files imported into an archive by `eyelog import`, as a user does."""

import io
import json
import warnings
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import eyelog as el
from support.command import main

WARNING, ERROR = "eyelog: warning: ", "eyelog: error: "


class Refused(el.ConfigurationError, el.ArchiveError):
    """What the command says on an error, of which it does not say the kind."""


def import_files(
    archive: el.Archive, paths: Iterable[Path], **options: Any
) -> list[SimpleNamespace]:
    """Return the report of each file; warn of what the command warns of, and raise its error."""
    command = ["import", *map(str, paths), "--archive", archive.path, "--json"]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if name == "dayfirst" and value is False:
            command.append("--no-dayfirst")
        elif value not in (None, False):
            command += [flag] if value is True else [flag, str(value)]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        main(command)
    said = err.getvalue().splitlines()
    for line in said:
        if line.startswith(WARNING):
            warnings.warn(line.removeprefix(WARNING), el.EyelogWarning, stacklevel=2)
    if not out.getvalue():
        raise Refused("\n".join(line.removeprefix(ERROR) for line in said if ERROR in line))
    return [SimpleNamespace(**report) for report in json.loads(out.getvalue())]
