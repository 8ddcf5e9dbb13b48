"""A file is what its header says, whatever its name."""

import pytest

from eyelog.archive.importing.kinds import (
    NotALog,
    OtherKind,
    counted_kinds,
    find_header,
    kind_of_bytes,
)
from eyelog.catalogue import CURRENT_DATA, LOGS
from eyelog.errors import MixedLogsError

FIFTEEN, SIXTY = LOGS

OTHERS = {
    "head-motion events": "date,type,subType,value",
    "raw EOG": "// Data mode  : Full\r\n//\r\n//ARTIFACT,NUM,DATE,ACC_X,ACC_Y,ACC_Z,GYRO_X,GYRO_Y,"
    "GYRO_Z,EOG_L,EOG_R,EOG_H,EOG_V",
    "raw EOG and motion": "//ARTIFACT,NUM,DATE,ACC_X,ACC_Y,ACC_Z,EOG_L1,EOG_R1,EOG_L2,EOG_R2",
    "raw quaternions": "// Data mode  : Quaternion\n//ARTIFACT,NUM,DATE,QUATERNION_W,QUATERNION_X",
    "motion activity": "startDate,stationary,walking,running,automotive,cycling,unknown,confidence",
    "positions": "date,latitude,longitude,altitude",
    "no line that is the header": "time,heart rate",
    "one-minute log of the first generation": "date,Focus Level,Is EOG Valid,# of Steps (280)",
    "first generation of the eyewear, which": "Date,numSteps280,numBlinks",
    "no column of stamps": "stepCount,isStill,isValid",
    "may be of any of them": "date,hm_po,tl_xav",
}


@pytest.mark.parametrize("what", OTHERS)
def test_the_refusal_of_another_kind_says_what_it_is(what: str) -> None:
    content = (OTHERS[what] + "\n2026-10-21T00:00:00Z,1,2,3\n").encode()
    with pytest.raises(NotALog, match=what):
        find_header(content, whole=True)


@pytest.mark.parametrize(
    ("what", "left_out"),
    [
        ("head-motion events", True),
        ("motion activity", True),
        ("positions", True),
        ("raw EOG", False),
        ("one-minute log of the first generation", False),
        ("no line that is the header", False),
    ],
)
def test_only_what_the_app_writes_beside_a_log_is_left_out(what: str, left_out: bool) -> None:
    with pytest.raises(NotALog) as refused:
        find_header((OTHERS[what] + "\n").encode(), whole=True)
    assert isinstance(refused.value, OtherKind) is left_out


def test_rows_without_a_header_are_told_from_a_log() -> None:
    with pytest.raises(NotALog, match=r"no header, like .* first generation .* \(2015\)"):
        find_header(b"2015-11-02 10:00:00,0,12,3.5,-1\n2015-11-02 10:01:00,0,9,2,0\n", whole=True)
    with pytest.raises(NotALog, match="no line that is the header"):
        find_header(b"2015-11-02,walk,12\n", whole=True)


def test_the_files_left_out_are_counted_in_one_line() -> None:
    assert counted_kinds(["b", "a", "b"]) == "left out: 3 files of other kinds: 1 with a; 2 with b"
    assert counted_kinds(["a"]) == "left out: 1 file of another kind: 1 with a"


@pytest.mark.parametrize(
    ("header", "log"),
    [
        ("date,stepCount", FIFTEEN),
        ("\ufeffdate,isStill,latitude,longitude,", FIFTEEN),
        ("capturedAt,validDuration", SIXTY),
        ('"date","stp_fst"', SIXTY),
        ("ut,fitDuration", SIXTY),
        ("date,blinkSpeed,blinkStrength,eyeMoveUp,roll,pitch,yaw,accX,noiseStatus", CURRENT_DATA),
        ("id,index,date, blinkSpeed, isWalking,seqNo", CURRENT_DATA),
        ("stp,foo,date", FIFTEEN),
    ],
)
def test_one_field_of_a_log_and_a_stamp_make_a_header(header: str, log: str) -> None:
    found = find_header(f"{header}\r\n1,2\r\n".encode(), whole=True)
    assert (found.log, found.line) == (log, 1)
    assert "" not in found.cells


def test_fields_of_both_logs_are_never_read_as_one() -> None:
    with pytest.raises(MixedLogsError, match=r"'stepCount' is of .*'fitDuration'"):
        find_header(b"date,stepCount,fitDuration\n", whole=True)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"SQLite format 3\x00", "SQLite"),
        (b"%PDF-1.7", "PDF"),
        (b"\x89PNG\r\n", "picture"),
        (b"\xd0\xcf\x11\xe0", "old Excel workbook: open it in the spreadsheet program"),
        (b"7z\xbc\xaf\x27\x1c", "7z file: unpack it first"),
        (b"  <html>", "HTML"),
        (bytes(64), "NUL bytes"),
    ],
)
def test_files_that_are_not_text_are_named(content: bytes, what: str) -> None:
    with pytest.raises(NotALog, match=what):
        kind_of_bytes(content)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b" \r\n\t", "empty"),
        (b"\n\0", "empty"),
        (b'\xef\xbb\xbf {"a"', "text"),
        (b"[", "text"),
        (b"date,", "text"),
        (b"PK\x03\x04", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
        ("\ufeffdate".encode("utf-16-le"), "utf-16-le"),
        ("\ufeffdate".encode("utf-16-be"), "utf-16-be"),
        ("date,stp\n".encode("utf-16-le"), "utf-16-le"),
        ("date,stp\n".encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_what_can_be_read_is_recognised_from_the_first_bytes(content: bytes, kind: str) -> None:
    assert kind_of_bytes(content) == kind


def test_a_header_must_come_early_and_end() -> None:
    with pytest.raises(NotALog, match="no line"):
        find_header(b"x\n" * 60 + b"date,stp\n", whole=True)
    with pytest.raises(NotALog, match="a line that does not end"):
        find_header(b"0" * 300_000, whole=False)
