"""The command that sends files to a service: push."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eyelog.cli.command import command
from eyelog.cli.output import note, print_json
from eyelog.errors import ConfigurationError, RequestError

if TYPE_CHECKING:
    from eyelog_service.push import Pushed


@command
def push(
    paths: tuple[Path, ...],
    *,
    token_file: Path | None = None,
    replace: bool = False,
    tz: str | None = None,
    json: bool = False,
) -> int:
    """Send files of records to a service.

    Sends files of the Logger app, zips of them or saved answers to the service at EYELOG_BASE_URL,
    as the wearer whose upload token is in EYELOG_UPLOAD_TOKEN or in a file. What the service has
    already changes nothing there. The exit status is 1 if a file was refused or could not be sent.

    Parameters
    ----------
    paths : PATH...
    token_file : FILE
        Read the upload token from FILE.  [default: EYELOG_UPLOAD_TOKEN]
    replace
        Let other values in the files replace stored ones.
    tz : ZONE
        Zone of dates without an offset, if the service knows none for the wearer.
    """
    from eyelog.fetch.session import base_url_from_environment
    from eyelog_service.push import files_to_push, push

    base_url, token = base_url_from_environment(), _token(token_file)
    files = files_to_push(paths)
    done: list[Pushed] = []
    stopped: RequestError | None = None
    try:
        sent = push(files, base_url, token, replace=replace, tz=tz)
        for each in sent:
            done.append(each)
            if not json:
                print(_line(each))
    except RequestError as fault:
        stopped = fault
    if json:
        print_json([asdict(each) for each in done])
    new = sum(each.new for each in done)
    taken = sum(each.state != "refused" for each in done)
    note(f"{new:,} {'row is' if new == 1 else 'rows are'} new from {taken} of {len(files)} files")
    if stopped is not None:
        raise stopped
    return 1 if any(each.state == "refused" for each in done) else 0


def _line(sent: "Pushed") -> str:
    counts = f": {sent.new:,} of {sent.read:,} rows" if sent.read else ""
    conflicts = f", {sent.conflicts:,} other values than stored" if sent.conflicts else ""
    reason = f" ({sent.reason})" if sent.reason else ""
    return f"{sent.state}  {sent.file}{counts}{conflicts}{reason}"


def _token(file: Path | None) -> str:
    """Return the upload token; it is never an argument, which every user of a machine can see."""
    if file is None:
        token = os.environ.get("EYELOG_UPLOAD_TOKEN", "").strip()
    else:
        try:
            token = file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise ConfigurationError(f"cannot read the upload token in {file}: {reason}") from None
    if not token:
        raise ConfigurationError(
            "there is no upload token: set EYELOG_UPLOAD_TOKEN, or name a file with --token-file"
            " (the wearer's page makes one, or `eyelog service upload-token`)"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        where = "EYELOG_UPLOAD_TOKEN" if file is None else file
        raise ConfigurationError(
            f"what is in {where} cannot be an upload token: one has only letters, digits, - and _,"
            " on one line (the wearer's page makes one, or `eyelog service upload-token`)"
        )
    return token
