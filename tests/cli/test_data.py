"""fetch, daily, plot: tables to stdout or into files, figures into files."""

import json
import stat

import pandas as pd
import pytest

import eyelog as el
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
    assert direct[0]["day"] == "2025-10-20"


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


def test_the_attrition_follows_the_summary(of_ada, capsys) -> None:
    assert main(["daily", "standard_mode_logs", *RANGE, *of_ada, "--attrition", "trend"]) == 0
    assert "worn at least 20 s" in capsys.readouterr().out


def test_the_summary_and_the_attrition_are_one_json_document(of_ada, capsys) -> None:
    assert main(["daily", "computed_data", *RANGE, *of_ada, "--attrition", "mind", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [day["day"] for day in document["days"]] == ["2025-10-20"]
    assert document["attrition"][0]["condition"] == "recorded"


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


def test_a_diary_adds_the_labels_of_each_day(of_ada, tmp_path, capsys) -> None:
    diary = tmp_path / "diary.csv"
    diary.write_text("from;to;what\n2025/10/20 9:00;2025/10/20 12:00;work\n2025/10/20 18:00;;tea\n")
    command = ["daily", "computed_data", *RANGE, *of_ada, "--events", str(diary)]
    assert main([*command, "--json"]) == 0
    assert [day["events"] for day in json.loads(capsys.readouterr().out)] == ["work, tea"]
    assert main(command) == 0
    assert "work, tea" in capsys.readouterr().out
    diary.write_text("start,label\n10/11/2025 09:00,x\n")
    assert main(command) == 1
    assert "diary.csv, line 2: '10/11/2025 09:00' may have the day or the month first" in (
        capsys.readouterr().err
    )


@pytest.mark.slow
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


@pytest.mark.parametrize("kind", ["timeline", "day"])
def test_a_diary_is_shaded_in_a_figure(of_ada, tmp_path, kind: str) -> None:
    diary = tmp_path / "diary.csv"
    diary.write_text("start,end,label\n2025-10-20 09:00,2025-10-20 12:00,Seminar\n")
    command = ["plot", kind, "computed_data", *RANGE, *of_ada, "--field", "stp"]
    for name, more in (("plain.svg", []), ("shaded.svg", ["--events", str(diary)])):
        assert main([*command, *more, "-o", str(tmp_path / name)]) == 0
    plain, shaded = ((tmp_path / name).read_text() for name in ("plain.svg", "shaded.svg"))
    assert "Seminar" in shaded
    assert "Seminar" not in plain


@pytest.fixture(scope="module")
def fortnight(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("fortnight") / "days.parquet"
    el.simulate("2026-10-12", 14, log="standard_mode_logs", tz="Asia/Tokyo").to_parquet(path)
    return str(path)


@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("week", []),
        ("actogram", []),
        ("change", ["--at", "2026-10-19"]),
        ("change", ["--by", "weekend", "--field", "steps"]),
    ],
)
def test_days_are_drawn_at_a_glance_or_compared(fortnight, tmp_path, figure, options) -> None:
    path = tmp_path / "figure.png"
    assert main(["plot", figure, fortnight, *options, "-o", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_week_is_drawn_with_a_diary(fortnight, tmp_path) -> None:
    diary = tmp_path / "diary.csv"
    diary.write_text("start,end,label\n2026-10-20 09:00,2026-10-20 12:00,Seminar\n")
    command = ["plot", "week", fortnight, "--events", str(diary)]
    assert main([*command, "-o", str(tmp_path / "a.svg")]) == 0
    drawn = (tmp_path / "a.svg").read_text()
    assert "diary above" in drawn
    assert "Seminar" in drawn


def test_a_change_without_what_to_compare_names_the_options(fortnight, tmp_path, capsys) -> None:
    assert main(["plot", "change", fortnight, "-o", str(tmp_path / "a.png")]) == 1
    error = capsys.readouterr().err
    assert "--at" in error
    assert "--by" in error


def test_a_figure_that_shades_nothing_says_so(of_ada, tmp_path, capsys) -> None:
    diary = tmp_path / "diary.csv"
    diary.write_text("start,end,label\n2025-10-20 09:00,2025-10-20 12:00,Seminar\n")
    command = ["plot", "heatmap", "computed_data", *RANGE, *of_ada, "--events", str(diary)]
    assert main([*command, "-o", str(tmp_path / "a.png")]) == 1
    assert "leave out --events, or draw timeline, day, week or actogram" in capsys.readouterr().err
