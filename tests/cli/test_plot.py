"""`eyelog plot`: a figure of a log, with a panel for each field where it draws one."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.command import main

KINDS = (
    *("overview", "timeline", "day", "quality", "attrition", "heatmap", "daily"),
    *("profile", "rhythm", "distribution", "bouts", "week", "change", "actogram"),
)


@pytest.fixture(scope="module")
def fortnight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plot") / "fortnight.parquet"
    el.simulate("2026-10-12", 14, log="standard_mode_logs", tz="Asia/Tokyo").to_parquet(path)
    return path


def plotted(fortnight: Path, tmp_path: Path, kind: str, *words: str) -> int:
    """Draw into a file, whose bytes show that there is a figure."""
    made = tmp_path / "a.png"
    status = main(["plot", kind, str(fortnight), *words, "-o", str(made)])
    assert made.exists() is (status == 0)
    return status


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_with_the_fields_that_suit_the_log(fortnight, tmp_path, kind) -> None:
    days = ["2026-10-12", "2026-10-13"] if kind in ("day", "timeline") else []
    at = ["--at", "2026-10-19"] if kind == "change" else []
    assert plotted(fortnight, tmp_path, kind, *days, *at) == 0


@pytest.mark.parametrize(
    ("kind", "words", "says"),
    [
        ("quality", ["--field", "bl"], "takes no fields"),
        ("day", ["--field", "bl", "--field", "hm_yo", "--field", "hm_po"], "or two fields, not 3"),
        ("actogram", ["--field", "hm_yo", "--field", "hm_po"], "one field, not 2"),
        ("week", ["--at", "2026-10-19"], "takes no at: leave out --at"),
        ("daily", ["--by", "weekend"], "takes no by: leave out --by"),
        ("profile", ["--by", "weekend"], "takes no by: leave out --by"),
        ("change", ["--by", "events"], "--by events and --events FILE"),
        ("change", ["--events", "{diary}", "--at", "2026-10-19"], "--by events and --events FILE"),
        ("heatmap", ["--events", "{diary}"], "takes no events: leave out --events"),
        ("change", [], "needs --at DATE or --by COLUMN"),
        ("heatmap", ["--field", "stq"], "stq"),
        ("heatmaps", [], "did you mean 'heatmap'"),
    ],
)
def test_what_a_kind_does_not_take_is_refused(
    fortnight, tmp_path, capsys, kind: str, words: list[str], says: str
) -> None:
    diary = tmp_path / "diary.csv"
    diary.write_text("start,end,label\n2026-10-13 09:00,2026-10-13 17:00,home\n")
    assert plotted(fortnight, tmp_path, kind, *(word.format(diary=diary) for word in words)) > 0
    assert says in capsys.readouterr().err


def test_days_are_compared_by_the_labels_of_a_diary(fortnight, tmp_path) -> None:
    starts = pd.date_range("2026-10-12 09:00", periods=12, freq="D")
    diary = pd.DataFrame({"start": starts, "end": starts + pd.Timedelta("8h")})
    diary["label"] = ["home", "office"] * 6
    diary.to_csv(tmp_path / "diary.csv", index=False)
    more = ["--events", str(tmp_path / "diary.csv"), "--by", "events", "--field", "steps"]
    assert plotted(fortnight, tmp_path, "change", *more) == 0
