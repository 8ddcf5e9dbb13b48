"""A CSV file gives every record in it; lines that are not records are reported, the rest kept."""

import tracemalloc

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.loggerfiles import FIFTEEN, HOURS, TEN, Put, logger_csv, logger_part
from support.logs import history

JUNK = {
    "a word": ("hello", "it has 1 column, not 65"),
    "nothing but commas": ("," * 64, "'date' is missing, not a stamp"),
    "not a date": ("2026-13-45T00:00:00Z" + "," * 64, "not a stamp"),
    "another number of columns": ("1,2,3", "it has 3 columns, not 65"),
    "an open quotation mark": ('"2026,' + "," * 63, "a quotation mark is not closed"),
    "NULs": ("\0" * 30, "it has 1 column, not 65"),
}


@pytest.mark.parametrize("case", JUNK)
@pytest.mark.parametrize("at", [1, 4, 11])
def test_junk_is_reported_by_its_line_and_the_rest_is_kept(put: Put, case: str, at: int) -> None:
    line, reason = JUNK[case]
    lines = logger_csv(TEN, FIFTEEN).splitlines()
    lines.insert(at, line)
    with pytest.warns(
        el.EyelogWarning, match=rf"log.csv: left out 1 of 11 lines.*line {at + 1}: .*{reason}"
    ):
        frame = el.read(put("\n".join(lines)))
    assert_frame_equal(logger_part(frame, FIFTEEN), logger_part(TEN, FIFTEEN), check_freq=False)
    assert history(frame)[-1]["refused"] == 1


@pytest.mark.parametrize("filler", [",", '"', "1", ',"', '"",', "x\t"])
def test_a_line_far_longer_than_a_record_is_never_taken_apart(put: Put, filler: str) -> None:
    lines = logger_csv(TEN, FIFTEEN).splitlines()
    lines.insert(4, filler * (4_000_000 // len(filler)))
    content = "\n".join(lines)
    tracemalloc.start()
    try:
        with pytest.warns(el.EyelogWarning, match=r"line 5: it has [34],[09]+,[09]+ bytes, and a"):
            frame = el.read(put(content))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert_frame_equal(logger_part(frame, FIFTEEN), logger_part(TEN, FIFTEEN), check_freq=False)
    assert peak < 40_000_000  # as cells, a hundred bytes for each delimiter


def test_a_header_of_two_logs_in_the_middle_is_named_with_its_line(put: Put) -> None:
    rows = "".join(f"2026-10-21T00:0{minute}:15Z,3\n" for minute in range(4))
    with pytest.raises(el.MixedLogsError, match=r"log\.csv: line 6: its header has fields of two"):
        el.read(put(f"date,stepCount\n{rows}date,stepCount,fitDuration\n"))


def test_of_rows_with_one_stamp_the_last_wins_and_the_count_is_kept(put: Put) -> None:
    rows = ["2026-10-21T00:00:15Z,3", "2026-10-21T00:00:30Z,4", "2026-10-21T00:00:15Z,5",
            "2026-10-21T00:00:30Z,4", "2026-10-21T09:00:30+09:00,4"]  # fmt: skip
    with pytest.warns(el.EyelogWarning, match="1 record with other values than a later one"):
        frame = el.read(put("\n".join(["date,stp", *rows])))
    assert frame["stp"].tolist() == [5, 4]
    step = history(frame)[-1]
    assert (step["kept"], step["repeated"], step["conflicts"]) == (2, 2, 1)


@pytest.mark.parametrize("encoding", ["utf-8", "cp932"])
@pytest.mark.parametrize("spare", [-100, 0, 100, 2000])
def test_a_last_line_without_its_end_is_read_however_long_the_blocks_are(
    put: Put, small_blocks: None, encoding: str, spare: int
) -> None:
    stamps = pd.date_range("2026-10-21", periods=5000, freq="15s").strftime("%FT%TZ,1,眠")
    text = "\n".join(["date,stp,note", *stamps]).encode(encoding)[: (1 << 13) + spare]
    whole = text[: text.rfind(b",")]  # the note of the last row is not there
    with pytest.warns(el.EyelogWarning):  # the note is not in the catalogue
        frame = el.read(put(whole + b","), encoding=encoding)
    assert len(frame) == whole.count(b"\n")


def test_bytes_that_are_not_text_lose_only_their_line(put: Put) -> None:
    lines = logger_csv(HOURS[FIFTEEN], FIFTEEN).encode().splitlines()
    lines[3] = lines[3] + b"\xff"
    lines.append(b"\x83\x65\x83\x58\x83\x67")
    with pytest.warns(el.EyelogWarning, match=r"left out 2 of .*line 4: it is not UTF-8.*1 more"):
        frame = el.read(put(b"\n".join(lines)))
    assert len(frame) == len(HOURS[FIFTEEN]) - 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("x\n" * 60 + "date,stp\n", "no line that is the header .*it begins with 'x'.* must have"),
        ("0" * 300_000, "it begins with '0000"),
        (
            "date,calmScore,stabilityScore\n2026-10-21T00:00:15Z,1,1\n",
            r"same field .*'calmScore' and 'stabilityScore'",
        ),
        (
            "date,zRightStepAmplitudeCal,zLeftStepAmplitudeCal,zLeftStepAmplitudeCal\n",
            "same field .*zLeftStepAmplitudeCal",
        ),
    ],
)
def test_a_file_without_a_clear_header_is_refused_with_what_it_is(
    put: Put, content: str, says: str
) -> None:
    with pytest.raises(el.ArchiveError, match=says):
        el.read(put(content))


@pytest.mark.parametrize("second", ["zLeftStepAmplitudeCal", "zLeftStepAmplitudeCal.1"])
def test_the_left_foots_name_given_twice_is_right_and_left(put: Put, second: str) -> None:
    text = f"date,zLeftStepAmplitudeCal,stp,{second}\n2026-10-21T00:00:15Z,1,2,3\n"
    frame = el.read(put(text))
    assert frame[["sa_zrc", "stp", "sa_zlc"]].iloc[0].tolist() == [1, 2, 3]


# Laws


NAMES = {"stp": "stepCount", "bk_n": "blinkCount", "tl_yav": "yMean", "sc_slp": "sleepScore",
         "isl": "isStill"}  # fmt: skip


FORMS = {
    "Z": lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}",
    "+0900": lambda at: f"{at.tz_convert('Asia/Tokyo'):%Y-%m-%d %H:%M:%S+0900}",
    "local": lambda at: f"{at.tz_convert('Asia/Tokyo'):%Y-%m-%d %H:%M:%S}",
    "slashes": lambda at: f"{at.tz_convert('Asia/Tokyo'):%Y/%m/%d %H:%M:%S}",
    "short": lambda at: "{0.year}/{0.month}/{0.day} {0.hour}:{0:%M:%S}".format(
        at.tz_convert("Asia/Tokyo")
    ),
}


WHOLE = st.none() | st.integers(0, 255).map(float)


PARTS = st.none() | st.integers(-9000, 9000).map(lambda cents: cents / 100)


ROWS = st.lists(
    st.tuples(WHOLE, WHOLE, PARTS, PARTS, st.none() | st.booleans()), min_size=1, max_size=25
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[bytes, pd.DataFrame]:
    """Return a frame, and the bytes of it in any of the ways in which a CSV may be written."""
    rows = draw(ROWS)
    index = pd.date_range("2026-10-21T00:00:07Z", periods=len(rows), freq="15s", name="date")
    delimiter = draw(st.sampled_from(",;\t"))
    decimal = draw(st.sampled_from(".,"))
    form = FORMS[draw(st.sampled_from(list(FORMS)))]
    order = draw(st.permutations(["date", *NAMES]))
    spell = draw(st.sampled_from([str, NAMES.get, lambda name: NAMES[name].upper()]))
    quotes = draw(st.sampled_from(["never", "always", "texts"]))
    filler = draw(st.sampled_from(["", "", "NaN", "null"]))

    def cell(value: object) -> str:
        if value is None:
            return filler
        if isinstance(value, bool):
            return draw(st.sampled_from([("0", "1"), ("false", "true"), ("False", "True")]))[value]
        if isinstance(value, float):
            whole = value.is_integer() and draw(st.booleans())
            return f"{value:.0f}" if whole else f"{value:.2f}".replace(".", decimal)
        return str(value)

    def written(value: object) -> str:
        made = cell(value)
        texts = isinstance(value, str) or (isinstance(value, float) and delimiter in made)
        quoted = quotes == "always" or delimiter in made or (quotes == "texts" and texts)
        return f'"{made}"' if quoted else made

    lines = [delimiter.join(written("date" if n == "date" else spell(n)) for n in order)]
    for at, row in zip(index, rows, strict=True):
        values = {"date": form(at), **dict(zip(NAMES, row, strict=True))}
        lines.append(delimiter.join(written(values[name]) for name in order))
        lines += [""] * draw(st.integers(0, 1))
    text = draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp932"]))
    frame = pd.DataFrame([list(row) for row in rows], columns=list(NAMES), index=index)
    frame = frame.astype(dict.fromkeys(NAMES, "float64") | {"isl": "boolean"})
    return text.encode(encoding), frame


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
def test_valid_rows_read_to_the_same_frame_however_they_are_written(
    put: Put, table: tuple[bytes, pd.DataFrame]
) -> None:
    content, wanted = table
    frame = el.read(put(content), tz="Asia/Tokyo").tz_convert("UTC")
    wanted.index = wanted.index.as_unit("us")
    assert_frame_equal(frame[wanted.columns], wanted, check_freq=False)
    assert history(frame)[-1]["refused"] == 0
    assert history(frame)[-1]["repeated"] == 0


JUNK_LINES = st.one_of(
    st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"").replace(b"\r", b"")),
    st.text("\"',;\t0123456789-:TZx. ", max_size=40).map(str.encode),
)


@pytest.mark.slow("many drawn damages")
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    junk=st.lists(st.tuples(st.integers(1, 11), JUNK_LINES), max_size=8),
    cut=st.integers(0, 60),
    delimiter=st.sampled_from(",;"),
)
@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
def test_no_line_of_a_damaged_file_is_lost_without_being_counted(
    put: Put, junk: list[tuple[int, bytes]], cut: int, delimiter: str
) -> None:
    text = logger_csv(TEN, FIFTEEN, names=["stp", "bk_n", "tl_yav", "isl"])
    lines = text.replace(",", delimiter).encode().splitlines()
    for at, line in junk:
        lines.insert(at, line)
    content = b"\n".join(lines)
    content = content[: len(content) - cut]
    written = sum(1 for line in content.split(b"\n")[1:] if line.strip())
    try:
        frame = el.read(put(content))
    except el.ArchiveError:
        return  # refused as a whole, with the reason
    counts = history(frame)[-1]
    assert counts["rows"] <= written  # a header that comes again is no row
    parts = ("kept", "repeated", "conflicts", "refused")
    assert sum(counts[name] for name in parts) == counts["rows"]
    assert counts["kept"] == len(frame)


# Dates of files become instants however they are written, or are reported by their line


def test_an_hour_that_comes_twice_is_resolved_by_the_order_of_the_rows(put: Put) -> None:
    clock = ["01:59", "02:00", "02:30", "02:59", "02:00", "02:30", "02:59", "03:00"]
    rows = [f"2026-10-25T{each}:00,60" for each in clock]
    frame = el.read(put("\n".join(["date,fitDuration", *rows])), tz="Europe/Berlin")
    assert len(frame) == 8
    assert frame.index.is_unique
