"""What the report of a study says, asked of the page."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.cohort_days import cohort_days
from support.cohorts import SIXTY, damage, fill
from support.reported import Page, study_of

BLINKS, NOTHING = "blink_rate_per_min", "\N{EN DASH}"
ROW = (BLINKS, "treated")


def people_of(table: pd.DataFrame, *more: tuple[str, str, int]) -> pd.DataFrame:
    """Return the table of the wearers of some days, and of more who have none."""
    people = table.reset_index()[["account", "group", "age"]].drop_duplicates()
    return pd.concat([people, pd.DataFrame(more, columns=people.columns)])


def contrast_of(table: pd.DataFrame, **options: object) -> Page:
    return study_of(table, by="group", **options)


def looked(page: Page) -> str:
    (said,) = page.said("looked")
    return said


@pytest.fixture(scope="module")
def lower() -> Page:
    return contrast_of(cohort_days(24, 6, effect=-5.0), outcome=BLINKS)


@pytest.fixture(scope="module")
def higher() -> Page:
    return contrast_of(cohort_days(12, 6, effect=8.0))


def test_the_outcome_named_beforehand_is_the_first_sentence_with_its_own_p(lower: Page) -> None:
    (said,) = lower.answers
    row = el.cohort.differences(cohort_days(24, 6, effect=-5.0), by="group").loc[ROW]
    assert said.startswith(
        "Treated wearers blinked less often than control wearers: by"
        f" {-row['difference']:.1f} per min (95 % interval {-row['high']:.1f} to"
        f" {-row['low']:.1f}, between wearers; "
    )
    assert said.endswith("12 and 12 wearers; p < 0.001, permutation test).")
    assert looked(lower) == (
        "Named beforehand: blink rate, at 5 % by a permutation test. Of 7 other comparisons, none"
        " stands out after correction (Holm)."
    )
    assert "in all but the outcome named beforehand" in lower.said("finding")[0]
    (caption,) = [one for one in lower.figures if one.startswith("Other outcomes, looked at")]
    assert "hold for these 7 comparisons together (Bonferroni)" in caption
    assert "decided by p, corrected after Holm" in caption
    file = pd.read_csv(io.StringIO(lower.file("differences.csv")))
    assert "p_holm" not in file
    assert file["outcome"].iloc[0] == BLINKS
    assert file["decided_by"].tolist() == ["permutation test"] + ["corrected (Holm)"] * 7


def test_without_a_named_outcome_all_are_corrected_and_the_strongest_comes_first(
    higher: Page,
) -> None:
    row = el.cohort.differences(cohort_days(12, 6, effect=8.0), by="group").loc[ROW]
    first = higher.answers[0]
    assert first.startswith("Treated wearers blinked more often than control wearers: by ")
    assert f"{row['difference']:.1f} per min (95 % interval {row['low']:.1f} to" in first
    assert first.endswith("corrected (Holm)).")
    assert looked(higher) == (
        "No outcome was named beforehand. Of 8 comparisons, 1 stands out at 5 % after correction"
        " (Holm)."
    )
    assert higher.figures[0].startswith("Blink rate")
    assert "(Welch), not corrected for the number" in higher.figures[0]
    assert "hold for all 8 comparisons together (Bonferroni)" in higher.figures[1]
    assert "comparisons excludes 0 would be 34 %" in higher.said()[0]
    file = pd.read_csv(io.StringIO(higher.file("differences.csv")), index_col=[0, 1])
    table = el.cohort.differences(cohort_days(12, 6, effect=8.0), by="group")
    for name, theirs in (("difference", "difference"), ("low", "low"), ("p_decides", "p_holm")):
        np.testing.assert_allclose(file[name], table.loc[file.index, theirs], rtol=1e-8)


def test_it_has_a_section_for_each_question_and_no_problem(higher: Page) -> None:
    assert higher.sections == ["contents", "groups", "who", "losses", "outcomes", "method"]
    assert higher.said("problem") == []
    assert len(higher.figures) == 13
    assert "<h1>Cohort report</h1>" in higher.html
    rows = higher.table("Means of the wearers' days that count")[1:]
    assert [row[1] for row in rows] == ["control", "treated"] * 7
    assert rows[0][:4] == ["Blink rate (per min)", "control", "6", "36"]


def test_a_named_outcome_that_stands_out_on_its_own_only_has_one_verdict() -> None:
    table = cohort_days(24, 6, effect=-2.2)
    page = contrast_of(table, outcome=BLINKS)
    cells = page.cells("Means of the wearers, and their difference, treated minus control.")
    alone = cells["Blink rate (per min)"][5]
    assert float(alone) < 0.05 < el.cohort.differences(table, by="group")["p_holm"].min()
    assert page.answers[0].startswith("Treated wearers blinked less often")
    assert f"p = {alone}, permutation test" in page.answers[0]
    assert "permutation test for blink rate, which was named beforehand" in page.html


def test_an_outcome_that_was_named_is_told_also_if_it_shows_nothing() -> None:
    table = cohort_days(24, 6, effect=-1.6)
    row = el.cohort.differences(table, by="group").loc[ROW]
    assert row["low"] < row["difference"] < 0 < row["high"]
    (said,) = contrast_of(table, outcome=BLINKS).answers
    assert said.startswith(
        "Whether the blink rate differs between treated and control cannot be told: treated minus"
        f" control {row['difference']:.1f} per min (95 % interval {row['low']:.1f} to"
        f" {row['high']:.1f}, between wearers"
    )


@pytest.mark.parametrize(
    ("outcome", "said", "answer"),
    [
        (
            None,
            "No outcome was named beforehand. No comparison has a p: each needs five wearers with"
            " values in both groups.",
            "No difference between the groups could be tested.",
        ),
        (
            "steps",
            "Named beforehand: number of steps, without a test.",
            "Number of steps of treated and control: no test. Fewer than three wearers in a group",
        ),
    ],
)
def test_too_few_wearers_have_a_reason_in_place_of_a_test(
    outcome: str | None, said: str, answer: str
) -> None:
    page = contrast_of(cohort_days(4, 3), outcome=outcome)
    assert looked(page) == said
    assert page.answers[0].startswith(answer)
    assert "Holm" not in page.methods
    claimed = "Number of steps was named beforehand; it could not be tested." in page.methods
    assert claimed == (outcome is not None)


def test_three_groups_are_tested_by_permutation_and_corrected_for_their_number() -> None:
    table = cohort_days(21, 4, groups=("a", "b", "c"), effect=6.0)
    page = contrast_of(table, outcome=BLINKS)
    group_of = table["group"].groupby(level="account").first()
    means = table[BLINKS].groupby(level="account").mean().to_frame()
    b, c = (
        el.compare.group_difference(
            means, group_of[group_of.isin(["a", other])].to_dict(), outcome=BLINKS
        ).p_permutation
        for other in "bc"
    )
    file = pd.read_csv(io.StringIO(page.file("differences.csv")), index_col=[0, 1])
    assert file.loc[BLINKS, "p_decides"].tolist() == pytest.approx([max(b, 2 * c), 2 * c])
    assert "permutation test, corrected (Holm))." in page.answers[0]
    assert "corrected for 2 groups (Holm, 1979)" in page.methods
    rows = page.table("Means of the wearers, and their difference, each group minus a.")[1:]
    assert [row[1] for row in rows[:2]] == ["b", "c"]
    assert len(re.findall('<div class="wide">', page.html)) == 1  # one picture, no other beside it


def test_facts_count_wearers_and_days_by_group_and_what_was_lost_is_said() -> None:
    table = cohort_days(12, 6)
    table.iloc[:3, table.columns.get_loc("worn_h")] = 1.0
    table.iloc[2:5, table.columns.get_loc(BLINKS)] = 104.0
    page = contrast_of(table, outcome=BLINKS, wearers=people_of(table, ("zoe", "control", 40)))
    assert page.facts == [
        "Wearers 12 of 13 control 6, treated 6",
        "Days with records 72 of 72 control 36, treated 36",
        "Days that count (4 h worn) 69 control 33, treated 36",
    ]
    (trust,) = page.said("trust")
    assert "3 of 72 days (4 %) have less than 4 h of wear and do not count." in trust
    assert "The blink rate is not plausible on 2 days, which are in the numbers." in trust
    assert "Not in the numbers: 1 wearer without days." in trust
    rows = page.table("Means of the wearers' days that count")[1:]
    assert rows[0][:4] == ["Blink rate (per min)", "control", "6", "33"]


def test_each_step_has_what_is_left_and_what_was_lost() -> None:
    table = cohort_days(5, 4)
    people = people_of(table, ("y", "control", 40))
    table.loc["w04", "group"] = None
    table.iloc[0, table.columns.get_loc("worn_h")] = 1.0
    table.loc["w01", BLINKS] = np.nan
    page = contrast_of(
        table, wearers=people.assign(group=people["group"].mask(people["account"] == "w04"))
    )
    rows = page.cells("From wearers to days to values")
    lacking = "no rows in this table"
    assert rows["Wearers asked for"] == ["6", NOTHING, ""]
    assert rows["With days"] == ["5", "20", f"1 wearer: {lacking}"]
    assert rows["In a group"] == ["4", "16", "1 wearer without a value of group"]
    assert rows["Days with at least 4 h of wear"] == ["4", "15", "1 day with less wear"]
    lost = "4 days: under 3 usable minutes, or no blink in 10"
    assert rows["of these, with blink rate"] == ["3", "11", lost]
    assert rows["of these, with steps"] == ["4", "15", ""]
    assert page.table("Wearers who are in none of the numbers")[1:] == [
        ["y", "no days", lacking],
        ["w04", "in no group", "no value of group"],
    ]
    last = "1 wearer without a value of group is in no group and left out below."
    assert any(one.endswith(last) for one in page.said())


def test_covariates_have_mean_and_sd_where_they_are_named_and_counts_otherwise() -> None:
    table = cohort_days(4, 2)
    table["sex"] = ["f", "f", "m", "m", "f", "f", None, None]
    table["seed"] = [7_000_000 + int(name[1:]) for name in table.index.get_level_values("account")]
    table["site"] = [1.0, 1.0, 2.0, 2.0] * 2
    page = contrast_of(table, covariates="age")
    rows = page.cells("Wearers, by group")
    assert rows[""] == ["control", "treated", "All wearers"]
    assert rows["Wearers"] == ["2", "2", "4"]
    assert rows["age, mean (SD)"] == ["21.0 (1.41)", "22.0 (1.41)", "21.5 (1.29)"]
    assert rows["sex: f"] == ["2 (100 %)", "0 (0 %)", "2 (50 %)"]
    assert rows["sex: not stated"] == ["0 (0 %)", "1 (50 %)", "1 (25 %)"]
    assert rows["site: 1"] == ["2 (100 %)", "0 (0 %)", "2 (50 %)"]
    assert rows["seed: 7000000"] == ["1 (50 %)", "0 (0 %)", "1 (25 %)"]
    assert rows["Days that count"] == ["4", "4", "8"]
    assert page.file("wearers.csv").startswith("account,group,age,sex,seed,site,days,days_counted")
    with pytest.raises(el.FieldError, match="'sed' is none of them"):
        contrast_of(table, covariates=["sed"])
    with pytest.raises(el.ConfigurationError, match="'group' does not hold numbers"):
        contrast_of(table, covariates=["group"])


@pytest.mark.slow("a report of many wearers is made")
def test_the_wearers_with_the_least_come_first_and_the_file_has_all() -> None:
    table = cohort_days(40, 3).drop(index=("w17", "2026-10-20"))
    page = study_of(table)
    rows = page.table("The 30 wearers with the fewest days that count")
    assert len(rows) == 31
    assert rows[1][0] == "w17"
    assert len(page.file("wearers.csv").splitlines()) == 41
    assert page.cells("Wearers; days per wearer")["age, different values"] == ["40"]


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"worn_h": np.nan}, {}, "Nothing in the records shows whether the eyewear was worn."),
        (
            {"worn_h": 1.0},
            {"outcome": "steps"},
            "No day that counts has a value of steps.",
        ),
        ({"group": "a"}, {}, "all wearers are in one group, a: there is nothing to compare"),
    ],
)
def test_what_cannot_be_shown_is_said(
    change: dict[str, object], options: dict[str, object], said: str
) -> None:
    page = contrast_of(cohort_days(6, 2).assign(**change), **options)
    assert said in " ".join(page.said("finding|more|problem|left-out"))


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    """Return the dataset of a cohort of which one wearer cannot be read."""
    archive = fill(el.Archive(tmp_path / "archive"))
    damage(archive, "ann")
    people = pd.DataFrame({"account": ["ann", "Ann", "../bob"], "arm": ["x", "x", "y"]})
    out = tmp_path / "days"
    el.cohort.daily(archive, SIXTY, tz="Asia/Tokyo", out=out, wearers=people, workers=1)
    return out


def test_a_wearer_who_failed_is_named_and_the_recipe_says_how_it_was_made(lost: Path) -> None:
    page = study_of(lost, by="arm", dated="Trial <1>")
    assert "Trial &lt;1&gt;" in page.html
    (failed,) = [one for one in page.said() if " failed and " in one]
    assert failed.startswith("1 of 3 wearers failed and is in none of the numbers")
    name, state, reason = page.table("Wearers who are in none of the numbers")[1]
    assert (name, state) == ("ann", "failed")
    assert "cannot read" in reason
    recipe = page.recipe
    assert recipe["report"]["by"] == "arm"
    assert recipe["versions"]["eyelog"] == el.__version__
    assert len(recipe["cohort"]["inventory"]) == 64
    assert any("The digest 'inventory' identifies" in one for one in page.said())
    assert page.cells("Limits, with their sources")["Worn: wear in a minute"][0] == "at least 20 s"


def test_pseudonyms_replace_accounts_everywhere(lost: Path, tmp_path: Path) -> None:
    page = study_of(lost, by="arm", key_file=tmp_path / "study.key")
    for account in ("ann", "Ann", "bob"):
        assert not re.search(rf"\b{account}\b", page.html), account
    assert str(lost.parent) not in page.html
    names = pd.DataFrame({"account": ["ann"]})
    code = el.cohort.pseudonymise(names, key_file=tmp_path / "study.key")["account"].iloc[0]
    (_, row) = page.table("Wearers who are in none of the numbers")
    assert row[0] == code
    assert not {"accounts", "archive", "wearers"} & set(page.recipe["cohort"])
    assert "60-second log" in page.html


def test_a_cohort_of_which_nobody_has_days_is_a_page_that_says_why() -> None:
    table = cohort_days(2, 2).iloc[:0]
    page = study_of(table, by="group", wearers=pd.DataFrame({"account": ["ann"]}))
    assert "No wearer has days" in page.html
    assert page.sections == ["contents", "losses", "method"]
    assert page.table("Wearers who are in none of the numbers")[1][0] == "ann"


def test_a_table_of_wearers_adds_groups_and_names_who_is_not_there() -> None:
    people = pd.DataFrame({"account": ["w00", "w01", "w09"], "arm": ["x", "y", "x"]})
    page = study_of(cohort_days(3, 2), by="arm", wearers=people)
    assert page.facts[0] == "Wearers 2 of 4 x 1, y 1"
    named = page.cells("Wearers who are in none of the numbers")
    assert named["w09"] == ["no days", "no rows in this table"]
    assert named["w02"] == ["in no group", "no value of arm"]
    clash = people.rename(columns={"arm": "steps"})
    with pytest.raises(el.ConfigurationError, match="a column 'steps', which days have too"):
        study_of(cohort_days(3, 2), wearers=clash)


def test_whatever_groups_and_wearers_are_called_the_page_holds_it() -> None:
    table = cohort_days(10, 2, effect=6.0, groups=("a|b )", "c <script>§d"))
    table = table.rename(index={"w00": "n\x01", "w01": "a\u202eb"}, level="account")
    page = contrast_of(table)
    assert page.said("problem") == []
    assert page.answers[0].startswith("C <script>§d wearers blinked more often than a|b ) wearers:")
    assert page.facts[0] == "Wearers 10 of 10 a|b ) 5, c <script>§d 5"
    assert "<script" not in page.html
    named = page.cells("The wearers, those with the fewest days")
    assert {"n\\x01", "a\\u202eb"} <= set(named)
    assert not {"\x01", "\u202e"} & set(page.html)
    every = contrast_of(cohort_days(5, 2, groups=("all", "none"))).cells("Wearers, by group")
    assert every["Wearers"] == ["3", "2", "5"]


def test_what_cannot_be_reported_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    table, target = cohort_days(2, 2), tmp_path / "r.html"
    for arguments, error, says in (
        ({"by": "sex"}, el.FieldError, r"no column 'sex' \(group, age\): .* --wearers FILE"),
        ({"by": ""}, el.ConfigurationError, "by must be text"),
        ({"dated": 7}, el.ConfigurationError, "dated must be text"),
        ({"wearers": "w.csv"}, el.ConfigurationError, "wearers takes a DataFrame"),
        ({"key_file": tmp_path}, el.ConfigurationError, "is a folder"),
        ({"outcome": "stepz"}, el.FieldError, "outcome= is one of worn_h"),
    ):
        with pytest.raises(error, match=says):
            el.report_cohort(table, target, **arguments)
    with pytest.raises(el.ConfigurationError, match=r"end its name with \.html"):
        el.report_cohort(table, tmp_path / "r.pdf")
    for wrong in (pd.DataFrame(), table.droplevel("day"), table.drop(columns="worn_h")):
        with pytest.raises(el.ConfigurationError, match=r"report_cohort takes (a table|the days)"):
            el.report_cohort(wrong, target)
    with pytest.raises(el.ConfigurationError, match="'group' has 0"):
        el.report_cohort(table.assign(group=None), target, by="group")
    with pytest.raises(el.ArchiveError, match="no whole result"):
        el.report_cohort(tmp_path, target)
    assert not target.exists()


@pytest.mark.slow("a cohort's report is made twice")
def test_without_groups_nothing_is_compared_and_equal_tables_give_equal_bytes(
    tmp_path: Path,
) -> None:
    table = cohort_days(3, 2)[["worn_h", "valid_h", "group", "age"]]
    table.attrs = cohort_days(3, 2).attrs
    one = el.report_cohort(table, tmp_path / "1.html")
    assert one.read_bytes() == el.report_cohort(table, tmp_path / "2.html").read_bytes()
    assert b'<h2 id="groups">' not in one.read_bytes()
    assert one.stat().st_mode & 0o077 == 0
