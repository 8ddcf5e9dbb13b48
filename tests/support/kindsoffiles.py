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
WRITERS = [
    Kind("Logger app, 15-second log", text),
    Kind("Logger app, 60-second log", lambda: text(SIXTY), log=SIXTY),
    Kind("vendor's sample script, 15-second log", lambda: sample_script_csv(TEN, FIFTEEN)),
    Kind(
        "vendor's sample script, 60-second log",
        lambda: sample_script_csv(MINUTES, SIXTY),
        log=SIXTY,
    ),
    Kind("lines end with CR LF", lambda: text().replace("\n", "\r\n")),
    Kind("lines end with CR", lambda: text().replace("\n", "\r")),
    Kind("byte order mark", lambda: "\ufeff" + text()),
    Kind("comma at the end of the header", lambda: text().replace("\n", ",\n", 1)),
    Kind("comma at the end of every line", lambda: text().replace("\n", ",\n")),
    Kind("blank lines between the lines", lambda: text().replace("\n", "\n\n")),
    Kind("blank lines first", lambda: "\n \n\n" + text()),
    Kind("no line end at the end", lambda: text().rstrip("\n")),
    Kind("spaces around cells", lambda: text().replace(",", " , ")),
    Kind("separated by semicolons", lambda: text().replace(",", ";")),
    Kind("separated by tabs", lambda: text().replace(",", "\t")),
    Kind("semicolons, after a line sep=;", lambda: "sep=;\r\n" + text().replace(",", ";")),
    Kind("every cell in quotation marks", lambda: quoted(text())),
    Kind("every cell in quotation marks, also empty ones", lambda: quoted(text(), empty='""')),
    Kind("semicolons and quotation marks", lambda: quoted(text()).replace(",", ";")),
    Kind(
        "columns in another order",
        lambda: "\n".join(",".join(reversed(line.split(","))) for line in text().splitlines()),
    ),
    Kind(
        "rows in another order",
        lambda: "\n".join([text().splitlines()[0], *reversed(text().splitlines()[1:])]),
    ),
    Kind(
        "names in capitals",
        lambda: text().split("\n", 1)[0].upper() + "\n" + text().split("\n", 1)[1],
    ),
    Kind("NaN for missing values", lambda: re.sub(",(?=,)", ",NaN", text())),
    Kind("null for missing values", lambda: re.sub(",(?=,)", ",null", text())),
    Kind("true and false", lambda: text(truths=("false", "true"))),
    Kind("False and True, as Python writes them", lambda: text(truths=("False", "True"))),
]
DATES = [
    Kind("dates with +0900", lambda: text(dates="+0900")),
    Kind("dates with +09:00", lambda: text(dates="+09:00")),
    Kind("dates with a space before the offset", lambda: text(dates="swift")),
    Kind("dates without an offset, and a zone", lambda: text(dates="naive"), options=ZONE),
    Kind(
        "dates with slashes, and a zone",
        lambda: redated(lambda at: f"{at:{SLASHES}}"),
        options=ZONE,
    ),
    Kind(
        "dates with slashes, without leading zeros, and a zone",
        lambda: redated(lambda at: f"{at.year}/{at.month}/{at.day} {at.hour}:{at:%M:%S}"),
        options=ZONE,
    ),
    Kind("dates with slashes and an offset", lambda: redated(lambda at: f"{at:{SLASHES}}+0900")),
    Kind(
        "60-second log, dates without seconds",
        lambda: redated(lambda at: f"{at.year}/{at.month}/{at.day} {at.hour}:{at:%M}", SIXTY),
        log=SIXTY,
        options=ZONE,
    ),
    Kind("UNIX seconds instead of dates", lambda: scaled(1), log=SIXTY),
    Kind(
        "dates without an offset, and no zone",
        lambda: text(dates="naive"),
        "refused",
        "has no zone: give",
    ),
    Kind(
        "dates with slashes, and no zone",
        lambda: redated(lambda at: f"{at:{SLASHES}}"),
        "refused",
        "has no zone: give",
    ),
    Kind(
        "dates as month/day/year",
        lambda: redated(lambda at: f"{at:%m/%d/%Y %H:%M:%S}"),
        options=ZONE,
    ),
    Kind(
        "dates as day.month.year",
        lambda: redated(lambda at: f"{at:%d.%m.%Y %H:%M:%S}"),
        options=ZONE,
    ),
    Kind(
        "dates as month/day/year, all of them days of a month too",
        lambda: "date,stp\n10/11/2025 7:58,3\n",
        "refused",
        "may have the day or the month first",
    ),
    Kind(
        "15-second log, dates without seconds",
        lambda: redated(lambda at: f"{at.year}/{at.month}/{at.day} {at.hour}:{at:%M}"),
        "refused",
        "only 3 different stamps, 60 s apart",
        options=ZONE,
    ),
    Kind(
        "UNIX milliseconds",
        lambda: scaled(1000),
        "refused",
        "10 of its 10 lines are not records",
        log=SIXTY,
    ),
    Kind(
        "a year beyond 9999", lambda: "date,stp\n9999-12-31T23:59:59Z,3\n", "refused", "not a stamp"
    ),
    Kind(
        "dates as serial numbers of a spreadsheet",
        lambda: "date,stp\n46316.5,3\n",
        "refused",
        "not a stamp",
    ),
]
ENCODINGS = [
    Kind("UTF-16, little-endian", lambda: ("\ufeff" + text()).encode("utf-16-le")),
    Kind("UTF-16, big-endian", lambda: ("\ufeff" + text()).encode("utf-16-be")),
    Kind("UTF-16 without a byte order mark", lambda: text().encode("utf-16-le")),
    Kind(
        "Unicode text of a spreadsheet program (UTF-16, tabs)",
        lambda: ("\ufeff" + text().replace(",", "\t")).encode("utf-16-le"),
    ),
    Kind(
        "saved answer in UTF-16",
        lambda: ("\ufeff" + answer().decode()).encode("utf-16-le"),
    ),
    Kind(
        "a column in cp932",
        lambda: with_column("散歩", name="メモ", encoding="cp932"),
        "note",
        r"cp932 \(Shift JIS\)",
    ),
    Kind(
        "a first line in cp932",
        lambda: "計測データ\n".encode("cp932") + text().encode(),
        "note",
        "cp932",
    ),
    Kind(
        "a column in UTF-8",
        lambda: with_column("散歩", name="メモ"),
        "note",
        "unknown fields .*: メモ",
    ),
    Kind(
        "one row of a note in Latin-1",
        lambda: text().encode() + "fröhlich".encode("latin-1"),
        "note",
        "read as cp1252.* a guess.*line 12: it has 1 column",
    ),
    Kind(
        "a column in Latin-1",
        lambda: with_column("früh", encoding="latin-1"),
        "note",
        "read as cp1252 .*a guess",
    ),
    Kind("semicolons and decimal commas", lambda: european(";"), "note", "decimal commas"),
    Kind("tabs and decimal commas", lambda: european("\t"), "note", "decimal commas"),
    Kind("semicolons and decimal points", lambda: european(";", ".")),
    Kind(
        "decimal commas in quotation marks",
        lambda: re.sub(r"(\d+)\.(\d+)", r'"\1,\2"', fewer()),
        "note",
        "decimal commas",
    ),
]
DAMAGED = [
    Kind("a line of junk", lambda: text() + "junk\n", "note", "line 12: it has 1 column, not 65"),
    Kind("the last line cut off", lambda: text()[:-40], "note", "line 11: it has", rows=9),
    Kind(
        "a quotation mark that does not close",
        lambda: text() + '"2026,' + "," * 63,
        "note",
        "quotation mark is not closed",
    ),
    Kind(
        "lines before the header",
        lambda: "exported by my phone\n" + text(),
        "note",
        "before the header",
    ),
    Kind("two files put together", lambda: text() + text()),
    Kind("an unknown column", lambda: with_column("fine"), "note", "unknown fields .*: note"),
    Kind(
        "a column that names one wearer",
        lambda: with_column("ada", name="user_id"),
        "note",
        "unknown fields .*: user_id",
    ),
    Kind(
        "pages of an answer without the last", lambda: answer(cursor="more"), "note", "has a cursor"
    ),
    Kind(
        "another table in the middle, as wide",
        lambda: fewer() + swapped(),
    ),
    Kind(
        "another table in the middle, wider",
        lambda: fewer() + text(),
    ),
    Kind("another table in the middle, narrower", lambda: text() + fewer()),
    Kind(
        "no usable line",
        lambda: "date,stp\n" + "x,1\n" * 50,
        "refused",
        "50 of its 50 lines are not records",
    ),
    Kind(
        "two columns of one field",
        lambda: "date,stp,stepCount\n2026-10-21T00:00:00Z,1,2\n",
        "refused",
        "two columns are the same field",
    ),
    Kind(
        "rows of two wearers",
        lambda: "date,stp,user_id\n2026-10-21T00:00:00Z,1,a\n2026-10-21T00:00:00Z,2,b\n",
        "refused",
        "several wearers .*'a', 'b'",
    ),
    Kind(
        "fields of two logs",
        lambda: "date,stepCount,fitDuration\n",
        "refused",
        "fields of two logs",
    ),
    Kind(
        "no column of stamps", lambda: "stepCount,isStill\n1,0\n", "refused", "no column of stamps"
    ),
    Kind(
        "fields that both logs have",
        lambda: "date,hm_po,tl_xav\n",
        "refused",
        "several logs have its fields .*: pass log=",
    ),
    Kind(
        "a table of something else",
        lambda: "time,heart rate\n1,60\n",
        "refused",
        "no line that is the header",
    ),
    Kind(
        "5,000 columns",
        lambda: "date,stp," + ",".join(f"c{i}" for i in range(5000)) + "\n",
        "refused",
        "5,002 columns",
    ),
    Kind(
        "a line without end",
        lambda: b"date,stp\n" + b"1" * (9 << 20),
        "refused",
        "a line far too long",
    ),
    Kind(
        "a million lines of junk",
        lambda: packed_lines(text(), "a;b:c\n", 2),
        "refused",
        "unpacks to more than|are not records",
    ),
    Kind(
        "blank lines without end, zipped",
        lambda: packed_lines(text(), "\n" * 1024),
        "refused",
        "more than 500 times its size",
    ),
    Kind(
        "blank JSON without end, zipped",
        lambda: packed_lines("{", " " * 1024),
        "refused",
        "more than 500 times its size",
    ),
    Kind(
        "blank lines without end, gzip",
        lambda: gzip.compress(text().encode() + b"\n" * (32 << 20)),
        "refused",
        "more than 500 times its size",
    ),
]
PACKED = [
    Kind("CSV in gzip", lambda: gzip.compress(text().encode())),
    Kind("CSV in a zip file", lambda: zipped({"log.csv": text()})),
    Kind(
        "CSV in a folder of a zip file",
        lambda: zipped({"a/b/log.csv": text(), "__MACOSX/a/._log.csv": "x"}),
    ),
    Kind("saved answer in a zip file", lambda: zipped({"a.json": answer()})),
    Kind(
        "a zip file in a zip file",
        lambda: zipped({"b.zip": zipped({"a.csv": text()})}),
        "refused",
        "it is packed a second time.*: unpack it first",
    ),
    Kind("an encrypted zip file", locked, "refused", "it is encrypted"),
    Kind(
        "a damaged zip file", lambda: zipped({"a.csv": text()})[:-30], "refused", "damaged zip file"
    ),
    Kind(
        "a zip file with a wrong checksum", stored_damaged, "refused", "cannot be read: Bad CRC-32"
    ),
    Kind(
        "a gzip file of which only the header of the file is there",
        lambda: gzip.compress(text().encode())[:12],
        "refused",
        "cannot be read",
    ),
    Kind(
        "gzip in gzip",
        lambda: gzip.compress(gzip.compress(text().encode())),
        "refused",
        "unpack it first",
    ),
    Kind("7z", lambda: b"7z\xbc\xaf\x27\x1c\0\4", "refused", "as 7z.*: unpack it"),
    Kind("RAR", lambda: b"Rar!\x1a\7\0", "refused", "RAR.*: unpack it"),
    Kind("zstd", lambda: b"\x28\xb5\x2f\xfd\4", "refused", "zstd: unpack it"),
]
JSON = [
    Kind("a saved answer", answer),
    Kind("a saved answer with a byte order mark", lambda: b"\xef\xbb\xbf" + answer()),
    Kind("a saved answer, indented", lambda: json.dumps(json.loads(answer()), indent=1)),
    Kind("a list of answers", lambda: b"[" + b",".join(halves()) + b"]"),
    Kind("one answer per line", lambda: b"\n".join(halves())),
    Kind("a saved answer in gzip", lambda: gzip.compress(answer())),
    Kind("brackets without end", lambda: b"[" * 100_000, "refused", "nested too deeply"),
    Kind(
        "an answer cut off",
        lambda: answer()[:-50],
        "refused",
        "not a saved answer, or a damaged one",
    ),
    Kind(
        "an error of the service",
        lambda: '{"error": "invalid_token"}',
        "refused",
        "an error object",
    ),
    Kind(
        "answers of both logs",
        lambda: b"\n".join([answer(), encode_answer(MINUTES, SIXTY)]),
        "refused",
        "after one of 'computed_data'",
    ),
    Kind(
        "JSON of something else",
        lambda: '{"steps": [1, 2]}',
        "refused",
        "not an answer of the service",
    ),
    Kind(
        "WebSocket messages, 20 Hz",
        lambda: lines_of_json([CURRENT] * 3),
        "refused",
        "3 of its 3 lines are not records.*its stamp .'date' or 'received'",
    ),
    Kind(
        "WebSocket messages, 15-second log",
        lambda: lines_of_json([{"stepCount": 3, "betteryLevel": 5}] * 3),
        "refused",
        "3 of its 3 lines are not records",
    ),
    Kind(
        "single records, one per line",
        lambda: lines_of_json(records()),
    ),
    Kind(
        "single records in a list",
        lambda: json.dumps(records()),
        "refused",
        "messages of the app's WebSocket .computed_data",
    ),
]
FOREIGN = [
    Kind(
        "Logger app, currentData",
        lambda: "date,blinkSpeed,accX,accY\n1,2,3,4\n",
        "refused",
        "1 of its 1 lines are not records",
    ),
    Kind(
        "20 Hz data of a WebSocket receiver",
        lambda: (
            "id,date,eyeMoveUp,blinkSpeed,walking,roll,accX,"
            "fitError,powerLeft,noiseStatus,sequenceNumber\n"
            "60,2019/08/22 07:34:26.673,0,0,0,1.49,-1.06,0,3,1,229\n"
        ),
        "refused",
        "has no zone",
    ),
    Kind(
        "Logger app, head motion",
        lambda: "time,type,subType,value\n",
        "refused",
        "head-motion events",
    ),
    Kind(
        "Logger app, motionActivity",
        lambda: "startDate,stationary,walking,cycling\n",
        "refused",
        "motion activity",
    ),
    Kind(
        "Logger app, location", lambda: "date,latitude,longitude,altitude\n", "refused", "positions"
    ),
    Kind(
        "academic edition, raw EOG",
        lambda: "// Data mode  : Full\n//ARTIFACT,NUM,DATE,ACC_X,EOG_L\n",
        "refused",
        "academic edition",
    ),
    Kind(
        "academic edition, quaternions",
        lambda: "//ARTIFACT,NUM,DATE,QUATERNION_W,QUATERNION_X\n",
        "refused",
        "academic edition",
    ),
    Kind(
        "first generation, one-minute log",
        lambda: (
            "capturedAt,fitError,powerLeft,eyeMoveHorizontal,cadence,numSteps280,numSteps310,numBlinks,"
            "blinkSpeed\n"
        ),
        "refused",
        "one-minute log of the first generation",
    ),
    Kind(
        "first generation, one-minute log as JSON lines",
        lambda: lines_of_json([{"capturedAt": "x", "numBlinks": 3, "footholdRight": 60}]),
        "refused",
        "one-minute log of the first generation",
    ),
    Kind(
        "damaged Excel workbook",
        lambda: zipped({"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"}),
        "refused",
        "a damaged Excel workbook .*: open it .* save the sheet as 'CSV UTF-8'",
    ),
    Kind(
        "binary Excel workbook",
        lambda: zipped({"[Content_Types].xml": "<x/>", "xl/workbook.bin": "x"}),
        "refused",
        "an Office document: open it .* save the sheet as 'CSV UTF-8'",
    ),
    Kind(
        "old Excel workbook",
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "refused",
        "old Excel workbook",
    ),
    Kind(
        "OpenDocument sheet",
        lambda: zipped({"content.xml": "<x/>", "META-INF/manifest.xml": "<x/>"}),
        "refused",
        "an Office document",
    ),
    Kind(
        "Word document",
        lambda: zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}),
        "refused",
        "an Office document",
    ),
    Kind("HDF5", lambda: b"\x89HDF\r\n\x1a\n\0", "refused", "HDF5.*: save its table"),
    Kind("Feather", lambda: b"ARROW1\0\0", "refused", "Arrow"),
    Kind("numpy", lambda: b"\x93NUMPY\1\0", "refused", "numpy"),
    Kind("a pickle", lambda: pickle.dumps([1]), "refused", "a pickle, which is never opened"),
    Kind("Parquet of pandas", parquet),
    Kind("another Parquet table", other_parquet, "refused", "without fields of a log"),
    Kind("damaged Parquet", lambda: parquet()[:-9], "refused", "it cannot be read: Parquet"),
    Kind("SQLite", lambda: b"SQLite format 3\x00", "refused", "SQLite"),
    Kind("PDF", lambda: b"%PDF-1.7", "refused", "a document.*PDF"),
    Kind("a picture", lambda: b"\x89PNG\r\n", "refused", "a picture"),
    Kind("a web page", lambda: "<!doctype html><html>", "refused", "an HTML or XML page"),
    Kind(
        "random bytes", lambda: bytes(range(128, 256)) * 40, "refused", "no line that is the header"
    ),
    Kind("nothing", lambda: b"", "empty"),
    Kind("only NULs", lambda: b"\0" * 500, "refused", "NUL bytes"),
    Kind("only blank lines", lambda: b"\r\n\r\n", "empty"),
    Kind("only a header", lambda: text().split("\n", 1)[0] + "\n", "read", rows=0),
]
KINDS = [*WRITERS, *DATES, *ENCODINGS, *DAMAGED, *PACKED, *JSON, *FOREIGN]
