"""What live recording costs, and whether it loses rows: many senders at 20 Hz into one server.

    python benchmarks/listen.py [--senders 20] [--minutes 10] [--json]

`eyelog listen` runs as a program. Each sender notes how many packets it sent; then the rows in
the archive are counted. The wait is from a message to the disk (fsync), as the server measures it:
the longest of all, so that 99 % waited less.
"""

import argparse
import asyncio
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

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


async def send_all(address: str, senders: int, seconds: float) -> list[int]:
    """Send from all of them at once."""
    return await asyncio.gather(*(send(f"{address}/g{n}", seconds) for n in range(senders)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--senders", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "archive"
        labels = [word for n in range(args.senders) for word in ("--device", f"g{n}=w{n}")]
        command = [
            sys.executable,
            "-m",
            "eyelog",
            "listen",
            "--archive",
            str(archive),
            "--port",
            "0",
        ]
        with subprocess.Popen(
            [*command, *labels], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = next(word for word in line.split() if word.startswith("ws"))
            sent = asyncio.run(send_all(address, args.senders, args.minutes * 60))
            server.terminate()
            said = server.communicate()[1]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        kept = [
            len(el.Archive(archive).read("current_data", account=f"w{n}", tz="UTC"))
            for n in range(args.senders)
        ]
    wait = re.search(r"longest time from a message to the disk: ([\d.]+) s", said)
    assert wait is not None, said
    result = {
        "senders": args.senders,
        "minutes": args.minutes,
        "sent": sum(sent),
        "lost": sum(sent) - sum(kept),
        "longest_wait_s": float(wait[1]),
        "cpu_s": round(used.ru_utime + used.ru_stime, 1),
        "memory_mb": round(used.ru_maxrss / 1e3),
    }
    if args.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:15} {value:,}" if isinstance(value, int) else f"{name:15} {value}")


if __name__ == "__main__":
    main()
