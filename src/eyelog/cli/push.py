"""The command that sends files to a service: push."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import add_json, note
from eyelog.errors import ConfigurationError, RequestError

if TYPE_CHECKING:
    from eyelog.access.push import Pushed

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    push = commands.add_parser(
        "push",
        help="send files of records to a service",
        description="Send files of the Logger app, zips of them or saved answers to the service at"
        " EYELOG_BASE_URL, as the wearer whose upload token is in EYELOG_UPLOAD_TOKEN or in a file."
        " What was imported before is not sent again; what was interrupted goes on where it was."
        " The exit status is 1 if a file was refused or could not be sent.",
    )
    push.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files and folders")
    push.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="read the upload token from FILE (default: EYELOG_UPLOAD_TOKEN)",
    )
    push.add_argument(
        "--replace",
        action="store_true",
        help="let other values in the files replace stored ones; files sent before go again",
    )
    push.add_argument(
        "--again", action="store_true", help="send also what was imported before, and may be lost"
    )
    push.add_argument(
        "--tz",
        metavar="ZONE",
        help="zone of dates without an offset, if the service knows none for the wearer",
    )
    add_json(push)
    push.set_defaults(run=_push)


def _push(args: argparse.Namespace) -> int:
    from eyelog.access.environment import base_url_from_environment
    from eyelog.access.push import files_to_push, push

    base_url, token = base_url_from_environment(), _token(args.token_file)
    files = files_to_push(args.paths)
    done: list[Pushed] = []
    stopped: RequestError | None = None
    try:
        sent = push(files, base_url, token, replace=args.replace, again=args.again, tz=args.tz)
        for each in sent:
            done.append(each)
            if not args.json:
                print(_line(each))
    except RequestError as fault:
        stopped = fault
    if args.json:
        print(json.dumps([asdict(each) for each in done], indent=1))
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
    from eyelog.access.environment import upload_token_from_environment

    if file is None:
        token = upload_token_from_environment()
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
