"""fetch, daily, plot: tables to stdout or into files, figures into files."""

import json
import stat

import pandas as pd
import pytest

import eyelog as el
from support.command import main
from support.commands import RANGE


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
    assert direct[0]["day"] == "2025-10-20"


@pytest.mark.parametrize("figure", ["overview", "quality", "heatmap"])
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_each_figure_of_either_log_is_drawn_into_a_private_file(
    of_ada, tmp_path, figure, log
) -> None:
    path = tmp_path / f"{figure}.png"
    assert main(["plot", figure, log, *RANGE, *of_ada, "-o", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.glob(".*.tmp")) == []


def test_a_range_without_records_is_reported_in_a_sentence(of_ada, capsys) -> None:
    assert main(["daily", "computed_data", "2026-09-01", "2026-09-02", *of_ada]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("There are no records in this range.\n")


@pytest.mark.parametrize("name", ["day.csv", "day.parquet", "answers"])
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
@pytest.mark.filterwarnings("default")
def test_a_fetch_and_an_export_write_the_same_bytes(logged_in, tmp_path, capsys, log, name) -> None:
    assert main(["sync", log, *RANGE]) == 0
    assert main(["fetch", log, *RANGE, "-o", str(tmp_path / "fetched" / name)]) == 0
    assert main(["archive", "export", log, *RANGE, "-o", str(tmp_path / "exported" / name)]) == 0
    made = sorted(path for path in (tmp_path / "fetched").rglob("*") if path.is_file())
    assert made
    for path in made:
        other = tmp_path / "exported" / path.relative_to(tmp_path / "fetched")
        assert path.read_bytes() == other.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_fetch_prints_the_bytes_that_it_would_write(logged_in, tmp_path, capsys) -> None:
    path = tmp_path / "day.csv"
    assert main(["fetch", "standard_mode_logs", *RANGE, "-o", str(path)]) == 0
    assert main(["fetch", "standard_mode_logs", *RANGE]) == 0
    assert capsys.readouterr().out.encode() == path.read_bytes()


@pytest.mark.slow("a year is simulated")
def test_a_year_of_days_is_rows_that_fit_a_terminal(tmp_path, capsys) -> None:
    frame = el.sample("standard_mode_logs")
    week = pd.Timedelta("7D")
    year = pd.concat([frame.set_axis(frame.index - n * week) for n in range(52)]).sort_index()
    year.to_parquet(tmp_path / "year.parquet")
    assert main(["daily", str(tmp_path / "year.parquet")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(("Mon ", "Sun ")) for line in lines) == 2 * 52
    assert lines[-1].endswith("more columns: --all shows them.")


def test_columns_are_chosen_by_group_or_name_and_all_are_shown(of_ada, capsys) -> None:
    daily = ["daily", "computed_data", *RANGE, *of_ada]
    assert main([*daily, "--columns", "worn_h,steps"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["Day", "Worn", "Steps"]
    assert main([*daily, "--all"]) == 0
    assert "--all" not in capsys.readouterr().out
    assert main([*daily, "--columns", "nope"]) == 1
    assert "no column or group of columns 'nope'" in capsys.readouterr().err


def test_days_can_start_in_the_evening(tmp_path, capsys) -> None:
    night = el.simulate("2026-10-20", 2, log="standard_mode_logs", tz="UTC")
    file = tmp_path / "night.parquet"
    night.to_parquet(file)
    assert main(["daily", str(file), "--day-starts", "18:00", "--json"]) == 0
    days = json.loads(capsys.readouterr().out)
    assert [day["day"][:10] for day in days] == ["2026-10-19", "2026-10-20", "2026-10-21"]
    assert main(["daily", str(file), "--day-starts", "6pm"]) == 1
    assert "write it as 18:00" in capsys.readouterr().err


def test_a_table_in_a_file_and_the_attrition_as_json_come_together(
    of_ada, tmp_path, capsys
) -> None:
    daily = ["daily", "computed_data", *RANGE, *of_ada, "--attrition", "mind", "--json"]
    assert main(daily) == 0
    printed = json.loads(capsys.readouterr().out)
    assert main([*daily, "-o", str(tmp_path / "days.csv")]) == 0
    assert json.loads(capsys.readouterr().out) == printed
    assert list(printed) == ["days", "attrition"]
    assert (tmp_path / "days.csv").exists()
