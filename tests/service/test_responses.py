"""Compression, as the client accepts it."""

import gzip
import json

import pytest
import requests
import zstandard

from support.live import STANDARD, Live
from support.replies import DAY, records_of


@pytest.mark.parametrize(
    ("accepts", "coding"),
    [
        ("gzip", "gzip"),
        ("zstd", "zstd"),
        ("gzip, deflate, zstd", "zstd"),
        ("gzip;q=1.0, zstd;q=0.5", "gzip"),
        ("gzip;q=0, zstd;q=0", None),
        ("*", "zstd"),
        ("br, *;q=0", None),
        ("identity", None),
        ("gzip;q=x", None),
        ("", None),
    ],
)
def test_a_page_is_compressed_as_the_client_accepts(
    there: Live, token: str, accepts: str, coding: str | None
) -> None:
    ask = {"date_from": DAY[0], "date_to": DAY[1], "fields": "date,bl,tl_xav"}
    url = f"{there.url}/v2/users/me/official/{STANDARD}"
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": accepts}
    with requests.get(url, params=ask, headers=headers, stream=True, timeout=30) as got:
        raw = got.raw.read(decode_content=False)
        assert got.headers.get("Content-Encoding") == coding
        assert "Accept-Encoding" in got.headers["Vary"]
        assert got.headers["Cache-Control"].startswith("private")
    plain = {"gzip": gzip.decompress, "zstd": zstandard.decompress}.get(coding or "", bytes)(raw)
    assert len(records_of(json.loads(plain), STANDARD)) == 100
    if coding:
        assert len(raw) < len(plain) / 3


def test_a_small_response_is_not_compressed(there: Live, token: str) -> None:
    answer = there.get(STANDARD, DAY[0], DAY[0], token=token)
    assert "Content-Encoding" not in answer.headers
