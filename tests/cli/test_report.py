"""eyelog report: from files, an archive or the service into one file."""

import pytest

import eyelog as el
from support.command import main


@pytest.fixture
def both(tmp_path):
    """Return one folder with both logs of a day, as `eyelog fetch` writes them."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for log in ("computed_data", "standard_mode_logs"):
        el.simulate("2025-10-20", 1, log=log, tz="Asia/Tokyo").to_parquet(folder / f"{log}.parquet")
    return folder


def test_files_with_both_logs_are_one_report(both, tmp_path, capsys) -> None:
    out = tmp_path / "report.html"
    assert main(["report", str(both), "--sections", "days,agreement", "-o", str(out)]) == 0
    text = out.read_text()
    assert "60-second log and 15-second log" in text
    assert "Over 1" in text or "h that both logs cover" in text
    size = f"{out.stat().st_size / 1e3:.1f} kB"
    assert f"Report written to {out} ({size}): open it in a browser." in capsys.readouterr().err


def test_an_account_of_the_archive_gives_its_name_or_a_pseudonym(of_ada, tmp_path) -> None:
    out = tmp_path / "report.html"
    command = ["report", "all", *of_ada, "--sections", "trust", "-o", str(out)]
    assert main(command) == 0
    assert "<h1>Eyewear report: ada</h1>" in out.read_text()
    assert main([*command, "--name", "P 7", "--dated", "Sleep study"]) == 0
    text = out.read_text()
    assert "<h1>Eyewear report: P 7</h1>" in text
    assert "Sleep study" in text
    assert "ada" not in text.split("</style>")[1].replace("data:", "").lower().split()


def test_glance_with_sections_is_refused_before_records_are_read(tmp_path, capsys) -> None:
    command = ["report", str(tmp_path), "--glance", "--sections", "days"]
    assert main([*command, "-o", str(tmp_path / "r.html")]) == 1
    assert "leave out sections= or glance=" in capsys.readouterr().err
