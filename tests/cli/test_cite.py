"""eyelog cite: the software, or the methods of an analysis."""

import json
import re
from html import unescape

import pytest

import eyelog as el
from support.command import main


@pytest.fixture
def week(tmp_path):
    path = tmp_path / "week.parquet"
    el.sample("standard_mode_logs").to_parquet(path)
    return str(path)


def printed(capsys, *words: str) -> str:
    assert main(["cite", *words]) == 0
    return capsys.readouterr().out


def test_records_give_the_methods_that_their_report_has(week, tmp_path, capsys) -> None:
    *paragraphs, references = printed(capsys, week).strip().split("\n\n")
    page = el.report(el.read(week), tmp_path / "report.html").read_text()
    page = page.replace("\N{NO-BREAK SPACE}", " ")  # before units, for the eye
    pasted = re.search(r'<div class="paste">(.*?)</div>', page, re.DOTALL)[1]
    *described, brief = [unescape(p) for p in re.findall("<p>(.*?)</p>", pasted)]
    assert described == paragraphs
    sources = brief.removeprefix("References: ").split("; ")
    assert len(sources) == len(references.split("\n"))


def test_sections_choose_the_measures_and_their_references(week, capsys) -> None:
    entries = re.findall(r"@\w+\{(\w+),", printed(capsys, week, "--sections", "eyes", "--bibtex"))
    assert entries == ["eyelog", "garwood1936"]
    assert main(["cite", week, "--sections", "eyez"]) == 1
    assert "did you mean 'eyes'" in capsys.readouterr().err


def test_a_program_reads_paragraphs_and_sources(week, capsys) -> None:
    said = json.loads(printed(capsys, week, "--json"))
    assert len(said["methods"]) == 4
    assert {"eyelog", "thompson1936"} <= {item["id"] for item in said["references"]}
