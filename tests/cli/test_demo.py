"""`eyelog demo` runs the main job from end to end."""

import io
import os
import sys
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from support.command import main


@pytest.mark.slow("the demo runs whole")
def test_the_demo_runs_the_main_job(tmp_path: Path, monkeypatch) -> None:
    # Days in the future are not requested: the demo's must be past on a slow clock, too.
    class Slow(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime(2026, 1, 1, tzinfo=tz)

    monkeypatch.setattr("eyelog.fetch.client.datetime", Slow)
    # On a terminal that knows only ASCII, as every command.
    sink = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(sink, "ascii", newline="\n"))
    monkeypatch.setenv("NO_COLOR", "1")
    # The user's own tokens are of another service.
    monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "abc")
    monkeypatch.setenv("EYELOG_REFRESH_TOKEN", "xyz")
    assert main(["demo", "--output", str(tmp_path / "out")]) == 0
    text = sink.getvalue().decode("ascii")
    assert "\x1b" not in text
    assert os.environ["EYELOG_ACCESS_TOKEN"] == "abc"
    for part in ("$ eyelog login --code ", "--attrition trend", "Blinks"):
        assert part in text
    last_screen = "\n".join(text.splitlines()[-20:])
    for part in ("Done. Open this first", "report.html", "heatmap-*.png"):
        assert part in last_screen
    assert (tmp_path / "out" / "report.html").stat().st_size > 100_000
    assert len(list((tmp_path / "out").glob("*.png"))) == 8
    assert len(list((tmp_path / "out").glob("*.csv"))) == 2


def test_a_file_in_place_of_the_output_folder_is_one_line(tmp_path: Path, capsys) -> None:
    path = tmp_path / "out"
    path.write_text("kept")
    assert main(["demo", "--output", str(path)]) == 1
    assert f"{path} is a file" in capsys.readouterr().err
    assert path.read_text() == "kept"
