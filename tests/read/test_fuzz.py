"""Damaged files of the 20 Hz log: read, or refused with one line, whatever the damage."""

import json
import random
from pathlib import Path

import pytest

import eyelog as el

STAMPS = [f"2026-10-20T10:00:00.{50 * at:03}Z" for at in range(12)]
CSV = "date,blinkSpeed,blinkStrength,roll,accX,walking,noiseStatus,fitError,sequenceNumber,\n"
CSV += "".join(
    f"{stamp}, {120 * (at == 3)},{60 * (at == 3)},{at}.5,-3,{int(at == 5)},false,0,{at}\n"
    for at, stamp in enumerate(STAMPS)
)
MESSAGES = "".join(
    json.dumps({"received": stamp, "blinkSpeed": "120", "walking": at == 5, "sequenceNumber": at})
    + "\n"
    for at, stamp in enumerate(STAMPS)
)
PIECES = (
    *(b"", b"\0", b"\n", b"\r", b",", b'"', b"{", b"}", b"[" * 2000, b":", b"null", b"true", b"-"),
    *(b"1e999", b"NaN", b"\xff", b"\xe3\x81", b"\\ud800", b"9" * 400, b"date", b"received"),
    *(b"heartbeat", b"stp", b"latitude", b"2026-13-40T99:99:99Z", b"0000-01-01T00:00:00Z", b";"),
)


def damaged(content: bytes, draws: random.Random) -> bytes:
    """Return a file with a few pieces cut out, doubled, or put in."""
    for _ in range(draws.randint(1, 4)):
        at = draws.randrange(len(content) + 1)
        after = min(len(content), at + draws.choice((0, 1, 3, 40)))
        piece = draws.choice((draws.choice(PIECES), content[at:after] * 2, draws.randbytes(3)))
        content = content[:at] + piece + content[after:]
    return content[: draws.randrange(len(content) + 1)] if draws.random() < 0.1 else content


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")
@pytest.mark.parametrize("content", [CSV, MESSAGES], ids=["csv", "json"])
@pytest.mark.parametrize(
    "count", [50, pytest.param(500, marks=pytest.mark.slow("hundreds of damaged files"))]
)
def test_a_damaged_file_is_read_or_refused_with_one_line(
    tmp_path: Path, content: str, count: int
) -> None:
    draws, said, read = random.Random(count), [], 0
    for _ in range(count):
        (tmp_path / "damaged").write_bytes(damaged(content.encode(), draws))
        try:
            frame = el.read(tmp_path / "damaged", tz="UTC")
        except el.EyelogError as error:
            said.append(str(error))
            continue
        read += 1
        assert frame.index.is_monotonic_increasing
        assert frame.index.is_unique
        if "fitError" in frame or "walking" in frame:
            el.flag(frame)
            el.gaps(frame)
    assert all(text and "\n" not in text for text in said)
    assert read > 0
