"""fetch, daily, plot, fields: tables to stdout or into files, figures into files."""

import json
import stat

import pytest

from eyelog.cli import main
from support.commands import RANGE


def test_a_fetch_prints_the_records_as_csv(logged_in, capsys) -> None:
    assert main(["fetch", "standard_mode_logs", *RANGE, "--fields", "bl,wea_s"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "date,wea_s,bl"
    assert len(lines) == 1440


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_fetched_file_gives_the_same_summary_as_the_service(
    logged_in, tmp_path, capsys, ending
) -> None:
    path = tmp_path / f"day.{ending}"
    assert main(["fetch", "computed_data", *RANGE, "-o", str(path)]) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    capsys.readouterr()
    assert main(["daily", "computed_data", *RANGE, "--json"]) == 0
    direct = json.loads(capsys.readouterr().out)
    assert main(["daily", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == direct
    assert direct[0]["day"] == "2025-10-20T00:00:00+09:00"


def test_fetched_days_are_available_offline(logged_in, capsys) -> None:
    fetch = ["fetch", "standard_mode_logs", *RANGE, "--fields", "bl"]
    assert main(fetch) == 0
    online = capsys.readouterr().out
    assert main([*fetch, "--offline"]) == 0
    assert capsys.readouterr().out == online
    assert main(["fetch", "standard_mode_logs", "2025-10-19", "2025-10-19", "--offline"]) == 1
    error = capsys.readouterr().err
    assert "2025-10-19" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("figure", ["timeline", "quality", "heatmap", "daily"])
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_each_figure_of_either_log_is_drawn_into_a_private_file(
    of_ada, tmp_path, figure, log
) -> None:
    path = tmp_path / f"{figure}.png"
    assert main(["plot", figure, log, *RANGE, *of_ada, "-o", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.glob(".*.tmp")) == []


def test_the_attrition_follows_the_summary(of_ada, capsys) -> None:
    assert main(["daily", "standard_mode_logs", *RANGE, *of_ada, "--attrition", "trend"]) == 0
    assert "worn at least 20 s" in capsys.readouterr().out


def test_the_summary_and_the_attrition_are_one_json_document(of_ada, capsys) -> None:
    assert main(["daily", "computed_data", *RANGE, *of_ada, "--attrition", "mind", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [day["day"] for day in document["days"]] == ["2025-10-20T00:00:00+09:00"]
    assert document["attrition"][0]["condition"] == "recorded"


def test_a_range_without_records_is_reported_in_a_sentence(of_ada, capsys) -> None:
    assert main(["daily", "computed_data", "2026-09-01", "2026-09-02", *of_ada]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("There are no records in this range.\n")


def test_the_whole_catalogue_is_printed(capsys) -> None:
    assert main(["fields", "standard_mode_logs", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 46
    assert rows[1]["name"] == "val_s"
