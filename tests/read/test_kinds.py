"""A file is what its header says, whatever its name."""

from pathlib import Path

import pytest

import eyelog as el
from support.loggerfiles import Put


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            "2015-11-02 10:00:00,0,12,3.5,-1\n2015-11-02 10:01:00,0,9,2,0\n",
            "no line that is the header .*must have the field names",
        ),
        ("2015-11-02,walk,12\n", "no line that is the header"),
        ("x\n" * 60 + "date,stp\n", r"no line .*it begins with 'x'"),
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


def test_fields_of_both_logs_are_never_read_as_one(put: Put) -> None:
    with pytest.raises(el.MixedLogsError, match=r"'stepCount' is of .*'fitDuration'"):
        el.read(put("date,stepCount,fitDuration\n"))


@pytest.mark.parametrize("second", ["zLeftStepAmplitudeCal", "zLeftStepAmplitudeCal.1"])
def test_the_left_foots_name_given_twice_is_right_and_left(put: Put, second: str) -> None:
    text = f"date,zLeftStepAmplitudeCal,stp,{second}\n2026-10-21T00:00:15Z,1,2,3\n"
    frame = el.read(put(text))
    assert frame[["sa_zrc", "stp", "sa_zlc"]].iloc[0].tolist() == [1, 2, 3]


def test_a_message_is_known_by_any_key_of_its_first_line(tmp_path: Path) -> None:
    lines = [
        f'{{"app": "x", "received": "2026-10-21T00:0{n}:00Z", "fitDuration": {n}}}'
        for n in range(3)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.warns(el.EyelogWarning, match="app"):
        frame = el.read(tmp_path / "a.jsonl")
    assert frame["wea_s"].tolist() == [0, 1, 2]
