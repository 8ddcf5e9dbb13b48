"""One file becomes one frame, with its whole history and the name of the file in every error."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import frame_of
from support.importing import import_files
from support.loggerfiles import FIFTEEN, SIXTY, Put, logger_csv, long_fields
from support.logs import LOGS, columns
from support.packets import CURRENT, packets
from support.paths import DATASETS


def test_the_sample_files_of_the_logger_app_equal_the_sample() -> None:
    for log, kind in zip(LOGS, ("logicIndexData", "summaryData"), strict=True):
        frame = el.read(DATASETS / f"20261021-080000_CDC000000001_{kind}.csv", tz="Asia/Tokyo")
        wanted = el.sample(log).loc["2026-10-21 08:00":"2026-10-21 12:00"]
        names = long_fields(log)
        assert_frame_equal(frame[names], wanted[names], check_freq=False)
        assert list(frame.columns) == [name for name in columns(log) if name in names]
        assert frame.attrs["eyelog"]["log"] == log


# A Parquet file of a log: what was saved comes back, and any other table is named


def test_a_masked_frame_stays_masked_through_pandas_and_is_no_file_of_records(
    tmp_path: Path,
) -> None:
    frame = el.sample()[:5760]
    masked = el.mask(frame, el.flag(frame))
    masked.to_parquet(tmp_path / "a.parquet")
    masked.to_csv(tmp_path / "a.csv")
    assert_frame_equal(el.daily(pd.read_parquet(tmp_path / "a.parquet")), el.daily(masked))
    for name in ("a.parquet", "a.csv"):
        with pytest.raises(el.ArchiveError, match=r"a masked frame, not records .*pandas\.read_"):
            el.read(tmp_path / name)


FRAME = el.sample().iloc[:400]


TABLES = {
    "bins": (lambda: el.resample(FRAME, "10min"), "a table of eyelog.resample, not records"),
    "Intervals": (lambda: el.intervals(FRAME, "10min"), "a table of eyelog.intervals, not records"),
    "reasons": (lambda: el.flag(FRAME), "a table of eyelog.flag, not records"),
    "days": (lambda: el.daily(FRAME), "a table of eyelog.daily, not records"),
    "another": (
        lambda: pd.DataFrame({"a": [1]}, index=pd.DatetimeIndex(["2026-10-21T00Z"], name="date")),
        r"without fields of a log \(a, date\)",
    ),
    "no stamps": (lambda: pd.DataFrame({"stp": [1.0]}), "without a column 'date' of stamps"),
    "no zone": (lambda: FRAME.tz_localize(None), "stamps have no zone"),
    "a wrong kind": (lambda: FRAME.assign(stp="many"), "its column 'stp' is .*numbers"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_holds_no_records_is_named(tmp_path: Path, name: str) -> None:
    make, words = TABLES[name]
    make().to_parquet(tmp_path / "a.parquet")
    with pytest.raises(el.ArchiveError, match=words):
        el.read(tmp_path / "a.parquet")


def test_a_row_without_a_stamp_costs_one_row(tmp_path: Path) -> None:
    frame = FRAME[["stp", "cad"]].set_axis(FRAME.index.where(FRAME.index > FRAME.index[0]))
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.warns(el.EyelogWarning, match=r"left out 1 of 400 .*row 1: 'date' is missing"):
        assert len(el.read(tmp_path / "a.parquet")) == 399


def test_a_table_that_says_it_is_of_the_other_log_is_refused(tmp_path: Path) -> None:
    frame = FRAME.copy()
    frame.attrs = {"eyelog": {"log": SIXTY}}
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(el.MixedLogsError, match="said to be of 'standard_mode_logs'"):
        el.read(tmp_path / "a.parquet")


# Saved answers read as the frames they came from; a file that is not one says why


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")  # the column is not in the catalogue
def test_an_offset_that_is_a_text_is_read_as_a_number(put: Put, tmp_path) -> None:
    body = {
        FIFTEEN: {"9": [{"date": "2026-10-20T00:00:15Z", "stp": 1, "utc_offset_min": "540"}]},
        "cursor": None,
    }
    archive = el.Archive(tmp_path / "archive")
    (report,) = import_files(archive, [put(json.dumps(body).encode(), "page.json")])
    assert (report.status, report.kept) == ("imported", 1)


@pytest.mark.parametrize("dash", ["-", "\\u002d"])
def test_the_offsets_of_answers_are_read_however_dates_are_spelled_and_pages_may_be_empty(
    put: Put, dash: str
) -> None:
    dates = [f"2026{dash}10-20T09:00:15+09:00", f"2026{dash}10-20T09:00:30+02:00"]
    full = [f'{{"{FIFTEEN}": {{"9": [{{"date": "{at}", "stp": 1}}]}}}}' for at in dates]
    empty = f'{{"{FIFTEEN}": {{}}, "cursor": null}}'
    frame = el.read(put("\n".join([empty, *full, empty]), "walk.json"), tz="file")
    assert frame["utc_offset_min"].tolist() == [540, 120]


def test_answers_with_too_many_unknown_fields_in_all_are_refused(put: Put) -> None:
    def body(begin: int) -> str:
        record = {"date": "2026-10-24T09:00:00Z"} | {f"new{begin + n}": 1 for n in range(150)}
        return json.dumps({FIFTEEN: {"9": [record]}})

    with pytest.raises(
        el.AnswerError, match=r"more than 200 fields.*; nothing of the file was read"
    ):
        el.read(put(f"[{body(0)}, {body(100)}]", "answers.json"))


# Messages of the app's WebSocket, as a receiver has written them down


def messages_of(frame: pd.DataFrame, *, text: bool = False) -> list[dict[str, Any]]:
    """Return a message for each row: without a date, as the app sends it."""
    found = []
    for at, row in zip(frame.index, frame.to_dict("records"), strict=True):
        values = {name: bool(v) if v is True or v is False else float(v) for name, v in row.items()}
        if text:
            values = {
                name: str(v).lower() if isinstance(v, bool) else f"{v:g}"
                for name, v in values.items()
            }
        found.append({"received": at.isoformat().replace("+00:00", "Z"), **values})
    return found


def save(path: Path, messages: list[Any], end: str = "\n") -> Path:
    path.write_text("\n".join(map(json.dumps, messages)) + end)
    return path


def test_messages_of_several_kinds_go_their_own_ways(tmp_path: Path) -> None:
    rows = messages_of(packets(40))
    record = {"received": "2026-10-20T10:00:15Z", "stepCount": "3", "isStill": "0"}
    event = {"type": "fastHeadMotion", "subType": "left", "value": 2}
    path = save(tmp_path / "a.jsonl", [*rows[:20], record, event, *rows[20:]])
    with pytest.warns(el.EyelogWarning) as caught:
        frame = el.read(path, log=CURRENT, tz="UTC")
    said = "; ".join(str(each.message) for each in caught)
    assert "left out: 1 message of another kind: 1 with head-motion events" in said
    assert len(frame) == 40
    with pytest.warns(el.EyelogWarning) as caught:
        assert el.read(path, tz="UTC")["stp"].tolist() == [3.0]
    assert "it has messages of the 20 Hz log too" in "; ".join(str(w.message) for w in caught)
    archive = el.Archive(tmp_path / "archive")
    with pytest.warns(el.EyelogWarning):
        reports = import_files(archive, [path], tz="UTC")
    assert [report.kept for report in reports] == [1, 40]
    assert len(archive.read(CURRENT, tz="UTC")) == 40
    assert len(archive.read("computed_data", tz="UTC")) == 1


def test_a_message_is_known_by_any_key_of_its_first_line(tmp_path: Path) -> None:
    lines = [
        f'{{"app": "x", "received": "2026-10-21T00:0{n}:00Z", "fitDuration": {n}}}'
        for n in range(3)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.warns(el.EyelogWarning, match="app"):
        frame = el.read(tmp_path / "a.jsonl")
    assert frame["wea_s"].tolist() == [0, 1, 2]


# Files of the 20 Hz log, as the apps have written them since 2019


EYES = "computed_data"


HEADER = (
    "date,blinkSpeed,blinkStrength,eyeMoveUp,eyeMoveDown,eyeMoveLeft,eyeMoveRight,roll,pitch,yaw,"
    "accX,accY,accZ,walking,noiseStatus,fitError,powerLeft,sequenceNumber,"
)


def text_of(frame: pd.DataFrame, *, dates: str = "Z", truths: tuple[str, str] = ("0", "1")) -> str:
    """Return rows as the Logger app writes them: a comma at the end of the header alone."""
    lines = [HEADER]
    for at, row in zip(frame.index, frame.itertuples(index=False), strict=True):
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}{dates}"
        cells = [truths[int(v)] if isinstance(v, bool | np.bool_) else f"{v:g}" for v in row]
        lines.append(",".join([stamp, *cells]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("truths", [("0", "1"), ("false", "true")])
def test_a_file_of_the_app_is_read_as_it_was_written(
    tmp_path: Path, truths: tuple[str, str]
) -> None:
    frame = packets(50)
    path = tmp_path / "20261020-100000_CDC000000001_currentData.csv"
    path.write_text(text_of(frame, truths=truths))
    assert_frame_equal(el.read(path, tz="UTC"), frame, check_freq=False)


def test_even_stamps_are_asked_for_and_say_how_far_they_moved(tmp_path: Path) -> None:
    frame = packets(600, jitter_us=20_000)
    path = tmp_path / "x_currentData.csv"
    path.write_text(text_of(frame))
    with pytest.warns(el.EyelogWarning, match=r"made even: half of them .* ms, the farthest by 2"):
        read = el.read(path, tz="UTC", stamp="even")
    assert np.diff(read.index.asi8) == pytest.approx(50_000, rel=0.01)
    assert np.abs((read.index - frame.index).total_seconds()).max() < 0.025
    assert_frame_equal(read.reset_index(drop=True), frame.reset_index(drop=True))
    with pytest.raises(el.ConfigurationError, match="'received' or 'even'"):
        el.read(path, stamp="end")
    path.write_text(logger_csv(frame_of(EYES, {"bk_n": [3]}), EYES, names=["bk_n"]))
    with pytest.raises(el.ConfigurationError, match="15-second log have none"):
        el.read(path, tz="UTC", stamp="even")
    path.write_text(text_of(frame))
    with pytest.raises(el.ConfigurationError, match="and needs their numbers"):
        el.read(path, tz="UTC", fields=["roll"], stamp="even")


def test_files_of_two_devices_in_the_same_time_are_refused(tmp_path: Path) -> None:
    one = packets(5 * 1200, jitter_us=24_000)
    other = packets(5 * 1200, jitter_us=24_000, seed=2)
    for device, frame in (("CDC000000001", one), ("CDC000000002", other)):
        shifted = frame.set_axis(frame.index + pd.Timedelta(13 * int(device[-1]), "ms"))
        (tmp_path / f"20261020-100000_{device}_currentData.csv").write_text(text_of(shifted))
    with pytest.raises(el.ConfigurationError, match=r"cover the same time twice|other values"):
        el.read(tmp_path, tz="UTC")


# The app's event files: head movements, and what the phone takes its owner to be doing


FAST = """date,type,subType,value
2026-10-20T10:00:01.250+0900,fastHeadMotion,left,2
2026-10-20T10:00:00.000+0900, fastHeadMotion, right,1
"""


def read(tmp_path: Path, text: str, tz: str = "Asia/Tokyo") -> pd.DataFrame:
    path = tmp_path / "20261020-100000_A1B2C3D4E5F6_events.csv"
    path.write_text(text)
    return el.read_events(path, tz=tz)


def test_dates_without_an_offset_are_in_the_zone_that_was_named(tmp_path):
    text = "date,type,subType,value\n2026/10/20 10:00:00.500,fastHeadMotion,up,1\n"
    assert str(read(tmp_path, text)["start"].iloc[0]) == "2026-10-20 10:00:00.500000+09:00"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "date,type,subType,value\nyesterday,fastHeadMotion,up,1\n",
            "'date' is 'yesterday', not",
        ),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,,up,1\n", "line 2: the event has no type"),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,a,up,many\n", "'many' is not a number"),
        ("date,type,subType,value\n2026-10-20T10:00:00Z,a\n2026", "line 2: it has fewer columns"),
    ],
)
def test_a_line_that_is_no_event_is_named(tmp_path, text, why):
    with pytest.raises(el.ConfigurationError, match=why):
        read(tmp_path, text)


def test_messages_of_the_socket_are_events_too(tmp_path):
    lines = [
        '{"received":"2026-10-20T01:00:00.500Z","type":"fastHeadMotion","subType":"left","value":2}',
        '{"heartbeat":1}',
        '{"received":"2026-10-20T01:00:01Z","type":"slowHeadTilting","subType":"right","value":"-1"}',
        '{"received":"2026-10-20T01:00:02Z","latitude":35.7,"longitude":139.7}',
        '{"received":"2026-10-20T01:00:0',
    ]
    path = tmp_path / "other.jsonl"
    path.write_text("\n".join(lines))
    archive = el.Archive(tmp_path / "archive")
    (report,) = import_files(archive, [path])
    assert (report.status, report.read) == ("imported", 2)
    events = archive.events(tz="Asia/Tokyo")
    assert events["label"].tolist() == ["fast head motion left", "slow head tilting right"]
    assert events["value"].tolist() == [2.0, -1.0]
    assert str(events["start"].iloc[0]) == "2026-10-20 10:00:00.500000+09:00"


def test_an_event_with_a_key_twice_is_left_out_with_a_warning_or_is_the_reason(tmp_path):
    line = '{"date":"2026-10-20T01:00:00Z","type":"a","subType":"up","value":2}\n'
    twice = line.replace("}", ',"value":3}')
    with pytest.warns(el.EyelogWarning, match="left out 2 lines with a key twice .*line 2"):
        assert read(tmp_path, f"{line}{twice}no JSON\n{twice}")["value"].tolist() == [2.0]
    with pytest.raises(el.ConfigurationError, match="line 1: it has a key twice"):
        read(tmp_path, twice)


def test_a_last_line_that_breaks_off_is_left_out_with_a_warning(tmp_path):
    with pytest.warns(el.EyelogWarning, match="line 4 breaks off"):
        made = read(tmp_path, FAST + "2026-10-20T10:00:02.000+0900,fastHeadMotion,le")
    assert len(made) == 2
