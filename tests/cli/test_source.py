"""Reading a file that `eyelog fetch` wrote."""

import json

from eyelog.cli import main
from support.commands import DAY, RANGE


def test_without_a_zone_the_days_are_those_of_the_file(logged_in, tmp_path, capsys) -> None:
    path = str(tmp_path / "day.parquet")
    assert main(["fetch", "standard_mode_logs", *RANGE, "-o", path]) == 0
    capsys.readouterr()
    assert main(["daily", "standard_mode_logs", DAY, DAY, "--json", "--input", path]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)[0]["day"] == "2025-10-20T00:00:00+09:00"
    assert "The days are local to Asia/Tokyo" in printed.err


def test_a_file_of_the_other_log_is_refused_by_name(logged_in, tmp_path, capsys) -> None:
    path = str(tmp_path / "day.parquet")
    assert main(["fetch", "standard_mode_logs", *RANGE, "-o", path]) == 0
    capsys.readouterr()
    assert main(["daily", "computed_data", *RANGE, "--input", path]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "standard_mode_logs" in error
