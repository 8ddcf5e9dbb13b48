"""Every kind of file that people have, and what an import makes of it."""

import gzip
import io
import json
import pickle
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from support.answers import encode_answer
from support.loggerfiles import (
    FIFTEEN,
    HOURS,
    SIXTY,
    TEN,
    logger_csv,
    sample_script_csv,
    zipped,
)

ZONE = (("tz", "Asia/Tokyo"),)
MINUTES = HOURS[SIXTY].iloc[:10]


Make = Callable[[], bytes | str]


@dataclass(frozen=True)
class Kind:
    """A kind of file: its bytes, and what an import of it gives.

    `result` is "read", "note" (read, and something is said), "empty" or "refused"; `rows` is how
    many of its ten records are read, and `says` what the note or the reason has to say.
    """

    name: str
    make: Callable[[], bytes | str]
    result: str = "read"
    says: str = ""
    rows: int = 10
    log: str = FIFTEEN
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        made = self.make()
        return made if isinstance(made, bytes) else made.encode()


@cache
def text(log: str = FIFTEEN, dates: str = "Z", **options: Any) -> str:
    frame = TEN if log == FIFTEEN else MINUTES
    return logger_csv(frame, log, dates=dates, **options)


@cache
def fewer(dates: str = "Z", log: str = FIFTEEN) -> str:
    """Return a few columns only, so that a table is easily written in another way."""
    names = ["stp", "bk_n", "tl_yav", "bkh_sum"] if log == FIFTEEN else ["val_s", "tl_yav"]
    return logger_csv(TEN if log == FIFTEEN else MINUTES, log, dates=dates, names=names)


def answer(**options: Any) -> bytes:
    return encode_answer(TEN, FIFTEEN, **options)


def with_column(values: str, *, name: str = "note", encoding: str = "utf-8") -> bytes:
    lines = fewer().splitlines()
    rows = [f"{lines[0]},{name}", *(f"{line},{values}" for line in lines[1:])]
    return "\n".join(rows).encode(encoding)


def redated(change: Callable[[pd.Timestamp], str], log: str = FIFTEEN) -> str:
    """Return a table whose dates, in Tokyo's time, are written in another way."""
    index = (TEN if log == FIFTEEN else MINUTES).index
    lines = fewer(log=log).splitlines()
    rows = [
        ",".join([change(stamp), *line.split(",")[1:]])
        for stamp, line in zip(index, lines[1:], strict=True)
    ]
    return "\n".join([lines[0], *rows]) + "\n"


def european(delimiter: str, decimal: str = ",") -> str:
    """Return a table as a spreadsheet program of continental Europe saves it."""
    return fewer().replace(",", delimiter).replace(".", decimal)


def swapped() -> str:
    return logger_csv(TEN, FIFTEEN, names=["bk_n", "stp", "tl_yav", "bkh_sum"])


def quoted(content: str, *, empty: str = "") -> str:
    rows = [line.split(",") for line in content.splitlines()]
    return "\n".join(",".join(f'"{cell}"' if cell else empty for cell in row) for row in rows)


def scaled(divisor: int) -> str:
    frame = MINUTES
    stamps = [f"{stamp.timestamp() * divisor:.0f}" for stamp in frame.index]
    values = frame["val_s"].astype(int)
    pairs = zip(stamps, values, strict=True)
    return "ut,validDuration\n" + "\n".join(f"{stamp},{value}" for stamp, value in pairs)


def records() -> list[dict[str, Any]]:
    hours = json.loads(answer())[FIFTEEN]
    return [record for hour in hours.values() for record in hour]


def lines_of_json(items: list[Any]) -> str:
    return "\n".join(json.dumps(item) for item in items)


def halves() -> tuple[bytes, bytes]:
    return (
        encode_answer(TEN.iloc[:6], FIFTEEN, cursor="next"),
        encode_answer(TEN.iloc[5:], FIFTEEN),
    )


def packed_lines(head: str, filler: str, megabytes: int = 32) -> bytes:
    return zipped({"a.csv": head + filler * ((megabytes << 20) // len(filler))})


def locked() -> bytes:
    box = bytearray(zipped({"a.csv": text()}))
    box[6] |= 1
    box[box.find(b"PK\x01\x02") + 8] |= 1
    return bytes(box)


def stored_damaged() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as box:
        box.writestr("a.csv", text())
    made = bytearray(sink.getvalue())
    made[200] ^= 1
    return bytes(made)


def parquet() -> bytes:
    sink = io.BytesIO()
    TEN.to_parquet(sink)
    return sink.getvalue()


def other_parquet() -> bytes:
    sink = io.BytesIO()
    TEN.reset_index()[["date"]].assign(price=1.5).to_parquet(sink)
    return sink.getvalue()


SLASHES = "%Y/%m/%d %H:%M:%S"
CURRENT = {"blinkSpeed": 0, "blinkStrength": 0, "accX": 1.5, "accY": -2, "noiseStatus": 0}
# What is read, without a word
READ: dict[str, Make] = {
    "Logger app, 15-second log": text,
    "Logger app, 60-second log": lambda: text(SIXTY),
    "vendor's sample script, 15-second log": lambda: sample_script_csv(TEN, FIFTEEN),
    "vendor's sample script, 60-second log": lambda: sample_script_csv(MINUTES, SIXTY),
    "lines end with CR LF": lambda: text().replace("\n", "\r\n"),
    "lines end with CR": lambda: text().replace("\n", "\r"),
    "byte order mark": lambda: "\ufeff" + text(),
    "comma at the end of the header": lambda: text().replace("\n", ",\n", 1),
    "comma at the end of every line": lambda: text().replace("\n", ",\n"),
    "blank lines between the lines": lambda: text().replace("\n", "\n\n"),
    "blank lines first": lambda: "\n \n\n" + text(),
    "no line end at the end": lambda: text().rstrip("\n"),
    "spaces around cells": lambda: text().replace(",", " , "),
    "separated by semicolons": lambda: text().replace(",", ";"),
    "separated by tabs": lambda: text().replace(",", "\t"),
    "semicolons, after a line sep=;": lambda: "sep=;\r\n" + text().replace(",", ";"),
    "every cell in quotation marks": lambda: quoted(text()),
    "every cell in quotation marks, also empty ones": lambda: quoted(text(), empty='""'),
    "semicolons and quotation marks": lambda: quoted(text()).replace(",", ";"),
    "columns in another order": lambda: "\n".join(
        ",".join(reversed(line.split(","))) for line in text().splitlines()
    ),
    "rows in another order": lambda: "\n".join(
        [text().splitlines()[0], *reversed(text().splitlines()[1:])]
    ),
    "names in capitals": lambda: text().split("\n", 1)[0].upper() + "\n" + text().split("\n", 1)[1],
    "NaN for missing values": lambda: re.sub(",(?=,)", ",NaN", text()),
    "null for missing values": lambda: re.sub(",(?=,)", ",null", text()),
    "true and false": lambda: text(truths=("false", "true")),
    "False and True, as Python writes them": lambda: text(truths=("False", "True")),
    "dates with +0900": lambda: text(dates="+0900"),
    "dates with +09:00": lambda: text(dates="+09:00"),
    "dates with a space before the offset": lambda: text(dates="swift"),
    "dates without an offset, and a zone": lambda: text(dates="naive"),
    "dates with slashes, and a zone": lambda: redated(lambda at: f"{at:{SLASHES}}"),
    "dates with slashes, without leading zeros, and a zone": lambda: redated(
        lambda at: f"{at.year}/{at.month}/{at.day} {at.hour}:{at:%M:%S}"
    ),
    "dates with slashes and an offset": lambda: redated(lambda at: f"{at:{SLASHES}}+0900"),
    "60-second log, dates without seconds": lambda: redated(
        lambda at: f"{at.year}/{at.month}/{at.day} {at.hour}:{at:%M}", SIXTY
    ),
    "UNIX seconds instead of dates": lambda: scaled(1),
    "dates as month/day/year": lambda: redated(lambda at: f"{at:%m/%d/%Y %H:%M:%S}"),
    "dates as day.month.year": lambda: redated(lambda at: f"{at:%d.%m.%Y %H:%M:%S}"),
    "dates as day. month. year, with a comma": lambda: redated(
        lambda at: f'"{at.day}. {at:%m. %Y}, {at.hour}:{at:%M:%S}"'
    ),
    "60-second log, dates as year.month.day": lambda: redated(
        lambda at: f"{at:%Y.%m.%d} {at.hour}:{at:%M}", SIXTY
    ),
    "dates with slashes and a comma before the fraction": lambda: redated(
        lambda at: f'"{at:{SLASHES}},0"'
    ),
    "UTF-16, little-endian": lambda: ("\ufeff" + text()).encode("utf-16-le"),
    "UTF-16, big-endian": lambda: ("\ufeff" + text()).encode("utf-16-be"),
    "UTF-16 without a byte order mark": lambda: text().encode("utf-16-le"),
    "Unicode text of a spreadsheet program (UTF-16, tabs)": lambda: (
        "\ufeff" + text().replace(",", "\t")
    ).encode("utf-16-le"),
    "saved answer in UTF-16": lambda: ("\ufeff" + answer().decode()).encode("utf-16-le"),
    "semicolons and decimal points": lambda: european(";", "."),
    "two files put together": lambda: text() + text(),
    "another table in the middle, as wide": lambda: fewer() + swapped(),
    "another table in the middle, wider": lambda: fewer() + text(),
    "another table in the middle, narrower": lambda: text() + fewer(),
    "CSV in gzip": lambda: gzip.compress(text().encode()),
    "CSV in a zip file": lambda: zipped({"log.csv": text()}),
    "CSV in a folder of a zip file": lambda: zipped(
        {"a/b/log.csv": text(), "__MACOSX/a/._log.csv": "x"}
    ),
    "saved answer in a zip file": lambda: zipped({"a.json": answer()}),
    "a saved answer": answer,
    "a saved answer with a byte order mark": lambda: b"\xef\xbb\xbf" + answer(),
    "a saved answer, indented": lambda: json.dumps(json.loads(answer()), indent=1),
    "a list of answers": lambda: b"[" + b",".join(halves()) + b"]",
    "one answer per line": lambda: b"\n".join(halves()),
    "a saved answer in gzip": lambda: gzip.compress(answer()),
    "single records, one per line": lambda: lines_of_json(records()),
    "Parquet of pandas": parquet,
    "only a header": lambda: text().split("\n", 1)[0] + "\n",
}
# What is read, and something is said
NOTED: dict[str, tuple[Make, str]] = {
    "a column in cp932": (
        lambda: with_column("散歩", name="メモ", encoding="cp932"),
        "cp932 \\(Shift JIS\\)",
    ),
    "a first line in cp932": (lambda: "計測データ\n".encode("cp932") + text().encode(), "cp932"),
    "a column in UTF-8": (lambda: with_column("散歩", name="メモ"), "unknown fields .*: メモ"),
    "one row of a note in Latin-1": (
        lambda: text().encode() + "fröhlich".encode("latin-1"),
        "read as cp1252.* a guess.*line 12: it has 1 column",
    ),
    "a column in Latin-1": (
        lambda: with_column("früh", encoding="latin-1"),
        "read as cp1252 .*a guess",
    ),
    "semicolons and decimal commas": (lambda: european(";"), "decimal commas"),
    "tabs and decimal commas": (lambda: european("\t"), "decimal commas"),
    "decimal commas in quotation marks": (
        lambda: re.sub("(\\d+)\\.(\\d+)", '"\\1,\\2"', fewer()),
        "decimal commas",
    ),
    "a line of junk": (lambda: text() + "junk\n", "line 12: it has 1 column, not 65"),
    "the last line cut off": (lambda: text()[:-40], "line 11: it has"),
    "a quotation mark that does not close": (
        lambda: text() + '"2026,' + "," * 63,
        "quotation mark is not closed",
    ),
    "lines before the header": (lambda: "exported by my phone\n" + text(), "before the header"),
    "an unknown column": (lambda: with_column("fine"), "unknown fields .*: note"),
    "a column that names one wearer": (
        lambda: with_column("ada", name="user_id"),
        "unknown fields .*: user_id",
    ),
    "pages of an answer without the last": (lambda: answer(cursor="more"), "has a cursor"),
}
REFUSED: dict[str, tuple[Make, str]] = {
    "dates without an offset, and no zone": (lambda: text(dates="naive"), "has no zone: give"),
    "dates with slashes, and no zone": (
        lambda: redated(lambda at: f"{at:{SLASHES}}"),
        "has no zone: give",
    ),
    "dates as month/day/year, all of them days of a month too": (
        lambda: "date,stp\n10/11/2025 7:58,3\n",
        "may have the day or the month first",
    ),
    "15-second log, dates without seconds": (
        lambda: redated(lambda at: f"{at.year}/{at.month}/{at.day} {at.hour}:{at:%M}"),
        "only 3 different stamps, 60 s apart",
    ),
    "UNIX milliseconds": (lambda: scaled(1000), "10 of its 10 lines are not records"),
    "a year beyond 9999": (lambda: "date,stp\n9999-12-31T23:59:59Z,3\n", "not a stamp"),
    "dates as serial numbers of a spreadsheet": (lambda: "date,stp\n46316.5,3\n", "not a stamp"),
    "no usable line": (lambda: "date,stp\n" + "x,1\n" * 50, "50 of its 50 lines are not records"),
    "two columns of one field": (
        lambda: "date,stp,stepCount\n2026-10-21T00:00:00Z,1,2\n",
        "two columns are the same field",
    ),
    "rows of two wearers": (
        lambda: "date,stp,user_id\n2026-10-21T00:00:00Z,1,a\n2026-10-21T00:00:00Z,2,b\n",
        "several wearers .*'a', 'b'",
    ),
    "fields of two logs": (lambda: "date,stepCount,fitDuration\n", "fields of two logs"),
    "no column of stamps": (lambda: "stepCount,isStill\n1,0\n", "no column of stamps"),
    "fields that both logs have": (
        lambda: "date,hm_po,tl_xav\n",
        "several logs have its fields .*: pass log=",
    ),
    "a table of something else": (lambda: "time,heart rate\n1,60\n", "no line that is the header"),
    "5,000 columns": (
        lambda: "date,stp," + ",".join(f"c{i}" for i in range(5000)) + "\n",
        "5,002 columns",
    ),
    "a line without end": (lambda: b"date,stp\n" + b"1" * (9 << 20), "a line far too long"),
    "a million lines of junk": (
        lambda: packed_lines(text(), "a;b:c\n", 2),
        "unpacks to more than|are not records",
    ),
    "blank lines without end, zipped": (
        lambda: packed_lines(text(), "\n" * 1024),
        "more than 500 times its size",
    ),
    "blank JSON without end, zipped": (
        lambda: packed_lines("{", " " * 1024),
        "more than 500 times its size",
    ),
    "blank lines without end, gzip": (
        lambda: gzip.compress(text().encode() + b"\n" * (32 << 20)),
        "more than 500 times its size",
    ),
    "a zip file in a zip file": (
        lambda: zipped({"b.zip": zipped({"a.csv": text()})}),
        "it is packed a second time.*: unpack it first",
    ),
    "an encrypted zip file": (locked, "it is encrypted"),
    "a damaged zip file": (lambda: zipped({"a.csv": text()})[:-30], "damaged zip file"),
    "a zip file with a wrong checksum": (stored_damaged, "cannot be read: Bad CRC-32"),
    "a gzip file of which only the header of the file is there": (
        lambda: gzip.compress(text().encode())[:12],
        "cannot be read",
    ),
    "gzip in gzip": (lambda: gzip.compress(gzip.compress(text().encode())), "unpack it first"),
    "7z": (lambda: b"7z\xbc\xaf'\x1c\x00\x04", "as 7z.*: unpack it"),
    "RAR": (lambda: b"Rar!\x1a\x07\x00", "RAR.*: unpack it"),
    "zstd": (lambda: b"(\xb5/\xfd\x04", "zstd: unpack it"),
    "brackets without end": (lambda: b"[" * 100000, "nested too deeply"),
    "an answer cut off": (lambda: answer()[:-50], "or a damaged one .*truncated"),
    "an error of the service": (lambda: '{"error": "invalid_token"}', "an error object"),
    "a list without an answer": (lambda: "[]", "the list has no answer"),
    "a list of a number": (lambda: "[1]", "got `int`"),
    "an answer with a text for a number": (
        lambda: '{"computed_data": {"9": [{"date": "2026-10-21T00:00:00Z", "stp": "7"}]}}',
        "hour '9', record 1 of 1, field 'stp'",
    ),
    "answers of both logs": (
        lambda: b"\n".join([answer(), encode_answer(MINUTES, SIXTY)]),
        "answer 2 of 2: .* after one of 'computed_data'",
    ),
    "JSON of something else": (
        lambda: '{"steps": [1, 2]}',
        "an object without 'computed_data' or 'standard_mode_logs' is not an answer of the service",
    ),
    "WebSocket messages, 20 Hz": (
        lambda: lines_of_json([CURRENT] * 3),
        "3 of its 3 lines are not records.*its stamp .'date' or 'received'",
    ),
    "WebSocket messages, 15-second log": (
        lambda: lines_of_json([{"stepCount": 3, "betteryLevel": 5}] * 3),
        "3 of its 3 lines are not records",
    ),
    "single records in a list": (
        lambda: json.dumps(records()),
        "messages of the app's WebSocket .computed_data",
    ),
    "Logger app, currentData": (
        lambda: "date,blinkSpeed,accX,accY\n1,2,3,4\n",
        "1 of its 1 lines are not records",
    ),
    "20 Hz data of a WebSocket receiver": (
        lambda: (
            "id,date,eyeMoveUp,blinkSpeed,walking,roll,accX\n"
            "60,2019/08/22 07:34:26.673,0,0,0,1.49,-1.06\n"
        ),
        "has no zone",
    ),
    "Logger app, head motion": (lambda: "time,type,subType,value\n", "head-motion events"),
    "Logger app, motionActivity": (
        lambda: "startDate,stationary,walking,cycling\n",
        "motion activity",
    ),
    "Logger app, location": (lambda: "date,latitude,longitude,altitude\n", "positions"),
    "academic edition, raw EOG": (
        lambda: "// Data mode  : Full\n//ARTIFACT,NUM,DATE,ACC_X,EOG_L\n",
        "academic edition",
    ),
    "academic edition, quaternions": (
        lambda: "//ARTIFACT,NUM,DATE,QUATERNION_W,QUATERNION_X\n",
        "academic edition",
    ),
    "first generation, one-minute log": (
        lambda: (
            "capturedAt,fitError,powerLeft,eyeMoveHorizontal,cadence,numSteps280,numSteps310,numBlinks,blinkSpeed\n"
        ),
        "one-minute log of the first generation",
    ),
    "first generation, one-minute log as JSON lines": (
        lambda: lines_of_json([{"capturedAt": "x", "numBlinks": 3, "footholdRight": 60}]),
        "one-minute log of the first generation",
    ),
    "damaged Excel workbook": (
        lambda: zipped({"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"}),
        "a damaged Excel workbook .*: open it .* save the sheet as 'CSV UTF-8'",
    ),
    "binary Excel workbook": (
        lambda: zipped({"[Content_Types].xml": "<x/>", "xl/workbook.bin": "x"}),
        "an Office document: open it .* save the sheet as 'CSV UTF-8'",
    ),
    "old Excel workbook": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Excel workbook"),
    "OpenDocument sheet": (
        lambda: zipped({"content.xml": "<x/>", "META-INF/manifest.xml": "<x/>"}),
        "an Office document",
    ),
    "Word document": (
        lambda: zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}),
        "an Office document",
    ),
    "HDF5": (lambda: b"\x89HDF\r\n\x1a\n\x00", "HDF5.*: save its table"),
    "Feather": (lambda: b"ARROW1\x00\x00", "Arrow"),
    "numpy": (lambda: b"\x93NUMPY\x01\x00", "numpy"),
    "a pickle": (lambda: pickle.dumps([1]), "a pickle, which is never opened"),
    "another Parquet table": (other_parquet, "without fields of a log"),
    "damaged Parquet": (lambda: parquet()[:-9], "it cannot be read: Parquet"),
    "SQLite": (lambda: b"SQLite format 3\x00", "SQLite"),
    "PDF": (lambda: b"%PDF-1.7", "a document.*PDF"),
    "a picture": (lambda: b"\x89PNG\r\n", "a picture"),
    "a web page": (lambda: "<!doctype html><html>", "an HTML or XML page"),
    "random bytes": (lambda: bytes(range(128, 256)) * 40, "no line that is the header"),
    "only NULs": (lambda: b"\x00" * 500, "NUL bytes"),
}
EMPTY: dict[str, Make] = {"nothing": lambda: b"", "only blank lines": lambda: b"\r\n\r\n"}
OF_60_S = [
    "Logger app, 60-second log",
    "vendor's sample script, 60-second log",
    "60-second log, dates without seconds",
    "60-second log, dates as year.month.day",
    "UNIX seconds instead of dates",
    "UNIX milliseconds",
]
IN_TOKYO = [
    "dates without an offset, and a zone",
    "dates with slashes, and a zone",
    "dates with slashes, without leading zeros, and a zone",
    "60-second log, dates without seconds",
    "dates as month/day/year",
    "dates as day.month.year",
    "dates as day. month. year, with a comma",
    "60-second log, dates as year.month.day",
    "dates with slashes and a comma before the fraction",
    "15-second log, dates without seconds",
]
FEWER = {"the last line cut off": 9, "only a header": 0}


def _kind(name: str, make: Make, result: str, says: str = "") -> Kind:
    log, options = SIXTY if name in OF_60_S else FIFTEEN, ZONE if name in IN_TOKYO else ()
    return Kind(name, make, result, says, FEWER.get(name, 10), log, options)


KINDS = [
    *(_kind(name, make, "read") for name, make in READ.items()),
    *(_kind(name, make, "note", says) for name, (make, says) in NOTED.items()),
    *(_kind(name, make, "refused", says) for name, (make, says) in REFUSED.items()),
    *(_kind(name, make, "empty") for name, make in EMPTY.items()),
]
