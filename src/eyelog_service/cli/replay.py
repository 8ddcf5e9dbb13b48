"""The command that sends a recording as the app would: replay."""

from pathlib import Path

from eyelog.cli.command import command
from eyelog.cli.output import note
from eyelog_service import require


@command
def replay(file: Path, *, to: str, speed: float = 1.0) -> None:
    """Send a recording live, as the phone's app would.

    Sends a recording to eyelog listen or to another server, one JSON object per row, with the
    pauses it was made with. No message has a date, so the receiver's clock gives the stamps; at
    another speed their distances are as much shorter, which serves to test a server and not to
    analyse. FILE is a CSV file of the app, or saved JSON lines.

    Parameters
    ----------
    file : FILE
    to : ADDRESS
        Such as ws://127.0.0.1:5000.
    speed : N
        N times faster.
    """
    import asyncio

    require("live")
    from eyelog_service.live.replay import replay

    sent = asyncio.run(replay(file, to, speed=speed))
    note(f"{sent:,} messages sent to {to}")
