"""What live recording costs, and whether it loses rows: many senders at 20 Hz into one server.

    python benchmarks/listen.py [--senders 20] [--minutes 10] [--json]

`eyelog listen` runs as a program. Each sender notes how many packets it sent; then the rows in
the archive are counted. The wait is from a message to the disk (fsync), as the server measures it:
the longest of all, so that 99 % waited less.
"""

import asyncio
import json
import re
import resource
import subprocess
import sys
import tempfile

from tools.measure import options, show
from websockets.asyncio.client import connect

import eyelog as el

RATE = 20.0
PACKET = {"blinkSpeed": 0, "blinkStrength": 0, "eyeMoveUp": 0, "eyeMoveDown": 0, "eyeMoveLeft": 0,
          "eyeMoveRight": 0, "roll": 1.25, "pitch": -3.5, "yaw": 180.0, "accX": 0, "accY": 3,
          "accZ": 16, "walking": 0, "noiseStatus": 0, "fitError": 0, "powerLeft": 4}  # fmt: skip


async def send(address: str, seconds: float) -> int:
    """Send packets at 20 Hz; return how many."""
    loop = asyncio.get_running_loop()
    start, sent = loop.time(), 0
    async with connect(address, proxy=None, close_timeout=None) as connection:
        while loop.time() < start + seconds:
            await connection.send(json.dumps(PACKET | {"sequenceNumber": sent % 256}))
            sent += 1
            await asyncio.sleep(max(0.0, start + sent / RATE - loop.time()))
    return sent


async def send_all(address: str, senders: int, seconds: float) -> int:
    """Send from all of them at once."""
    each = (send(f"{address}/g{n}", seconds) for n in range(senders))
    return sum(await asyncio.gather(*each))


def main() -> None:
    given = options(__doc__, senders=20, minutes=10.0)
    with tempfile.TemporaryDirectory() as folder:
        words = ["listen", "--archive", folder, "--port", "0"]
        words += [word for n in range(given.senders) for word in ("--device", f"g{n}=w{n}")]
        command = [sys.executable, "-m", "eyelog", *words]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as server:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = next(word for word in line.split() if word.startswith("ws"))
            sent = asyncio.run(send_all(address, given.senders, given.minutes * 60))
            server.terminate()
            said = server.communicate()[1]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        archive, kept = el.Archive(folder), 0
        for n in range(given.senders):
            kept += len(archive.read("current_data", account=f"w{n}", tz="UTC"))
    wait = re.search(r"longest time from a message to the disk: ([\d.]+) s", said)
    assert wait is not None, said
    row = {
        "senders": given.senders,
        "minutes": given.minutes,
        "sent": sent,
        "lost": sent - kept,
        "longest wait, s": float(wait[1]),
        "CPU s": used.ru_utime + used.ru_stime,
        "MB": round(used.ru_maxrss / 1e3),
    }
    show({"live": [row]}, given.json)


if __name__ == "__main__":
    main()
