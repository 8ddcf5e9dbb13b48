"""The command that sends a recording as the app would: replay."""

import argparse
from pathlib import Path
from typing import Any

from eyelog.cli.output import note

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    replay = commands.add_parser(
        "replay",
        help="send a recording live, as the phone's app would",
        description="Send a recording to eyelog listen or to another server, one JSON object per"
        " row, with the pauses it was made with. No message has a date, so the receiver's clock"
        " gives the stamps; at another speed their distances are as much shorter, which serves to"
        " test a server and not to analyse.",
    )
    replay.add_argument(
        "file", type=Path, metavar="FILE", help="a CSV file of the app, or saved JSON lines"
    )
    replay.add_argument(
        "--to", required=True, metavar="ADDRESS", help="such as ws://127.0.0.1:5000"
    )
    replay.add_argument(
        "--speed", type=float, default=1.0, metavar="N", help="N times faster (default: 1)"
    )
    replay.set_defaults(run=_replay)


def _replay(args: argparse.Namespace) -> int:
    import asyncio

    from eyelog.live.replay import replay

    sent = asyncio.run(replay(args.file, args.to, speed=args.speed))
    note(f"{sent:,} messages sent to {args.to}")
    return 0
