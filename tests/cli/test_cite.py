"""eyelog cite: the software, or the methods of an analysis."""

import json
import re
from html import unescape

import pytest

import eyelog as el
from eyelog.cli import main


@pytest.fixture
def week(tmp_path):
    path = tmp_path / "week.parquet"
    el.sample("standard_mode_logs").to_parquet(path)
    return str(path)


def printed(capsys, *words: str) -> str:
    assert main(["cite", *words]) == 0
    return capsys.readouterr().out


def test_without_records_eyelog_itself_is_cited(capsys) -> None:
    said = printed(capsys)
    assert said == (
        f"The eyelog maintainers (2026). eyelog (Version {el.__version__}) [Computer software].\n"
    )
    assert printed(capsys, "--bibtex").startswith("@misc{eyelog,\n")
    assert json.loads(printed(capsys, "--json"))["references"][0]["version"] == el.__version__


def test_records_give_the_methods_that_their_report_has(week, tmp_path, capsys) -> None:
    *paragraphs, references = printed(capsys, week).strip().split("\n\n")
    page = el.report(el.read(week), tmp_path / "report.html").read_text()
    page = page.replace("\N{NO-BREAK SPACE}", " ")  # before units, for the eye
    pasted = re.search(r'<div class="paste">(.*?)</div>', page, re.DOTALL)[1]
    assert [unescape(p) for p in re.findall("<p>(.*?)</p>", pasted)] == paragraphs
    assert [unescape(p) for p in re.findall("<li>(.*?)</li>", pasted)] == references.split("\n")


def test_sections_choose_the_measures_and_their_references(week, capsys) -> None:
    entries = re.findall(r"@\w+\{(\w+),", printed(capsys, week, "--sections", "eyes", "--bibtex"))
    assert entries == ["eyelog", "garwood1936"]
    assert main(["cite", week, "--sections", "eyez"]) == 1
    assert "did you mean 'eyes'" in capsys.readouterr().err


def test_a_program_reads_paragraphs_and_sources(week, capsys) -> None:
    said = json.loads(printed(capsys, week, "--json"))
    assert len(said["methods"]) == 4
    assert {"eyelog", "thompson1936"} <= {item["id"] for item in said["references"]}


def test_an_account_of_the_archive_has_methods_too(of_ada, capsys) -> None:
    assert "records of the 60-second log" in printed(capsys, "all", *of_ada)


def test_one_form_at_a_time(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["cite", "--bibtex", "--json"])
    assert stop.value.code == 2
