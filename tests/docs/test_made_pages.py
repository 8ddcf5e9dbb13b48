"""The pages that are made from the code agree with the code."""

import csv
from pathlib import Path

import pytest
import requests

from eyelog_docs.columns import columns_page
from eyelog_docs.command_line import command_line_page, commands
from eyelog_docs.fields import field_page
from eyelog_docs.service_api import PAGE_SIZE, service_page
from support import live
from support.logs import LOGS, fields
from support.paths import ROOT


def card(log: str, name: str) -> dict[str, str]:
    """Return the facts on a field's card."""
    page = field_page(log)
    start = page.index(f"### `{name}`:")
    end = page.find("\n(", start)
    lines = page[start : end if end > 0 else None].splitlines()
    return {lines[i - 1]: line[2:] for i, line in enumerate(lines) if line.startswith(": ")}


@pytest.mark.parametrize("log", LOGS)
def test_every_field_has_a_row_and_a_card(log: str) -> None:
    page = field_page(log)
    for name, field in fields(log).iterrows():
        assert f"| [`{name}`](#{log.replace('_', '-')}-{name.replace('_', '-')}) |" in page
        assert f"### `{name}`: {field['label']}" in page
        assert field["description"] in page


def test_a_card_says_when_to_trust_a_blink_statistic() -> None:
    facts = card("computed_data", "bkw_av")
    assert facts["Unit"] == "ms"
    assert facts["Range"] == "0 to 300"
    assert facts["In longer intervals"] == "the mean, weighted by `bk_n`"
    trusted = facts["When to trust it"]
    for words in (
        "the eyewear is worn (`isl` false)",
        "its tilt is possible for a head (`tl_xav` from \N{MINUS SIGN}45 to 45, `tl_yav` from"
        " \N{MINUS SIGN}45 to 90)",
        "the wearer does not walk (`stp` at most 0)",
        "there is little noise (`nis_time` at most 3)",
        "the log marks the record as valid (`vld` true)",
        "blinks were counted (`bk_n` above 0), or the value differs from the one before",
    ):
        assert words in trusted


@pytest.mark.parametrize(
    ("log", "name", "fact", "says"),
    [
        ("standard_mode_logs", "stp_fst", "When to trust it", "(`wea_s` at least 30)"),
        ("computed_data", "cad", "When to trust it", "the wearer walks (`stp` above 0)"),
        ("computed_data", "sc_fcs", "No value", "written as \N{MINUS SIGN}1"),
        ("computed_data", "hm_prc", "When to trust it", "unknown"),
        ("computed_data", "hm_prc", "Source", "never interpreted"),
    ],
)
def test_a_card_says_what_the_catalogue_knows(log: str, name: str, fact: str, says: str) -> None:
    assert says in card(log, name)[fact]


def test_every_command_and_option_is_on_the_page_of_the_command_line() -> None:
    page = command_line_page()
    for words, command in commands():
        assert f"## `{words}`\n" in page
        for parameter in command.params:
            for option in parameter.opts:
                assert option in page or not option.startswith("-")


def test_every_endpoint_parameter_and_status_is_on_the_page_of_the_service(
    tmp_path: Path,
) -> None:
    page = service_page()
    with live.service(tmp_path / "archive", {}, page_size=PAGE_SIZE) as there:
        described = requests.get(f"{there.url}/openapi.json", timeout=30).json()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            title = f"## `{method.upper()} {path}`\n"
            assert title in page
            part = page[page.index(title) + 3 :]
            part = part[: part.index("\n## ")]
            for parameter in operation.get("parameters", ()):
                assert f"| `{parameter['name']}` |" in part
            for status in operation["responses"]:
                assert f"\n| {status} |" in part


def test_every_column_of_a_result_has_a_row_with_its_meaning() -> None:
    page = columns_page()
    with (ROOT / "src" / "eyelog" / "measure" / "columns.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert f"| `{row['name'].removeprefix('*')}` | {row['meaning']} |" in page
    assert "{" not in page
