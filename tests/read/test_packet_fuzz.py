"""Damaged files of the 20 Hz log: read, or refused with one line, whatever the damage."""

import json
import random
import warnings
from pathlib import Path

import pytest

import eyelog as el

CSV = (
    b"date,blinkSpeed,blinkStrength,roll,accX,walking,noiseStatus,fitError,sequenceNumber,\n"
    + b"".join(
        b"2026-10-20T10:00:00.%03dZ, %d,%d,%d.5,-3,%d,false,0,%d\n"
        % (50 * i, 120 * (i == 3), 60 * (i == 3), i, i == 5, i)
        for i in range(12)
    )
)
MESSAGES = b"".join(
    json.dumps(
        {
            "received": f"2026-10-20T10:00:00.{50 * i:03}Z",
            "blinkSpeed": "120" if i == 3 else 0,
            "roll": i + 0.5,
            "walking": i == 5,
            "sequenceNumber": i,
        }
    ).encode()
    + b"\n"
    for i in range(12)
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


def outcomes(path: Path, content: bytes, count: int) -> tuple[int, int]:
    """Return how many damaged files were read and refused; anything else is raised."""
    draws = random.Random(count)
    read, said = 0, []
    for _ in range(count):
        path.write_bytes(damaged(content, draws))
        try:
            frame = el.read(path, tz="UTC")
        except el.EyelogError as error:
            said.append(str(error))
        else:
            assert frame.index.is_monotonic_increasing
            assert frame.index.is_unique
            if "fitError" in frame or "walking" in frame:
                el.flag(frame)
                el.gaps(frame)
            read += 1
    assert all(text and "\n" not in text for text in said)
    return read, len(said)


@pytest.mark.parametrize("content", [CSV, MESSAGES], ids=["csv", "json"])
@pytest.mark.parametrize(
    "count", [50, pytest.param(500, marks=pytest.mark.slow("hundreds of damaged files"))]
)
def test_a_damaged_file_is_read_or_refused_with_one_line(
    tmp_path: Path, content: bytes, count: int
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)
        found = outcomes(tmp_path / "damaged", content, count)
    assert found[0] > 0
