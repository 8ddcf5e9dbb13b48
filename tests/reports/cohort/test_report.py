"""The report of a cohort as one file."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.cohort_days import cohort_days
from support.reported import said

ONE = cohort_days(3, 2).drop(
    columns=["blink_rate_per_min", "eye_moves_per_h", "steps", "walking_h", "pace_spm"]
)


@pytest.mark.slow("a cohort's report is made")
def test_a_report_has_a_section_for_each_question_and_no_problem(tmp_path: Path) -> None:
    table = cohort_days(6, 4, failed={"eve": "broken"})
    people = table.reset_index()[["account", "group", "age"]].drop_duplicates()
    people.loc[len(table)] = ["eve", "treated", 40]
    path = el.report_cohort(
        table, tmp_path / "r.html", by="group", dated="Trial <1>", wearers=people
    )
    page = path.read_text()
    assert "<h1>Cohort report</h1>" in page
    assert "Trial &lt;1&gt;" in page
    for key in ("groups", "who", "losses", "outcomes", "method"):
        assert f'<h2 id="{key}">' in page
    assert said(page, "problem") == []
    assert page.count("<figure>") == 13
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.slow("a cohort's report is made twice")
def test_without_groups_nothing_is_compared_and_equal_tables_give_equal_bytes(
    tmp_path: Path,
) -> None:
    ONE.attrs = cohort_days(3, 2).attrs
    one = el.report_cohort(ONE, tmp_path / "1.html").read_bytes()
    assert el.report_cohort(ONE, tmp_path / "2.html").read_bytes() == one
    assert b'<h2 id="groups">' not in one


def test_a_cohort_of_which_all_failed_is_a_page_that_says_why(tmp_path: Path) -> None:
    table = cohort_days(2, 2, failed={"ann": "cannot read the month 2026-10"}).iloc[:0]
    asked = pd.DataFrame({"account": ["ann"]})
    page = el.report_cohort(table, tmp_path / "r.html", by="group", wearers=asked).read_text()
    assert "No wearer has days" in page
    assert "cannot read the month 2026-10" in page
    assert '<h2 id="outcomes">' not in page


def test_what_cannot_be_reported_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    table, target = cohort_days(2, 2), tmp_path / "r.html"
    for arguments, error, says in (
        ({"by": "sex"}, el.FieldError, r"no column 'sex' \(group, age\): .* --wearers FILE"),
        ({"by": ""}, el.ConfigurationError, "by must be text"),
        ({"dated": 7}, el.ConfigurationError, "dated must be text"),
        ({"wearers": "w.csv"}, el.ConfigurationError, "wearers takes a DataFrame"),
        ({"key_file": tmp_path}, el.ConfigurationError, "is a folder"),
    ):
        with pytest.raises(error, match=says):
            el.report_cohort(table, target, **arguments)
    with pytest.raises(el.ConfigurationError, match=r"end its name with \.html"):
        el.report_cohort(table, tmp_path / "r.pdf")
    with pytest.raises(el.ConfigurationError, match="report_cohort takes a table"):
        el.report_cohort(pd.DataFrame(), target)
    with pytest.raises(el.ArchiveError, match="no whole result"):
        el.report_cohort(tmp_path, target)
    assert not target.exists()


def test_a_bar_and_a_section_sign_in_the_name_of_a_group_part_no_sentence(tmp_path: Path) -> None:
    table = cohort_days(10, 2, effect=6.0, groups=("a|b", "c§d"))
    page = el.report_cohort(table, tmp_path / "r.html", by="group").read_text()
    assert said(page, "problem") == []
    assert "C§d wearers blinked more often than a|b wearers:" in page
    assert "a|b 5, c§d 5" in page
