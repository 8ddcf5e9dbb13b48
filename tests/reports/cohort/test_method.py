"""How the numbers of a cohort came about."""

import json

import eyelog as el
from eyelog.reports.cohort.method import method
from support.cohort_days import cohort_days, cohort_of


def test_the_recipe_has_versions_arguments_and_the_digest_of_the_archive() -> None:
    part = method(cohort_of(cohort_days(3, 2)), {"by": "group"}, ["a note"])
    recipe = json.loads(part.recipe)
    assert recipe["report"] == {"by": "group"}
    assert recipe["versions"]["eyelog"] == el.__version__
    assert recipe["cohort"]["inventory"] == "0" * 64
    assert part.findings[-1] == "Note: a note"
    assert "Holm" in dict(part.terms)["Many comparisons"]
    assert ["Worn: wear in a minute", "at least 20 s"] in [row[:2] for row in part.tables[0]().rows]


def test_the_methods_to_paste_name_groups_losses_and_sources() -> None:
    text = method(cohort_of(cohort_days(10, 3)), {}, []).to_paste
    said = " ".join(text.paragraphs)
    assert "of 10 wearers" in said
    assert "(n = 5)" in said
    assert "(Welch, 1947), and holds for this comparison alone" in said
    assert "No outcome was named beforehand. The 8 comparisons were tested by Welch's p" in said
    assert "with at least 4 h of wear. Each wearer counts once" in said
    assert any(line.startswith("Holm, S. (1979)") for line in text.references)
    alone = method(cohort_of(cohort_days(10, 3), by=None), {}, []).to_paste
    assert "compared" not in " ".join(alone.paragraphs)


def test_the_limits_are_those_of_the_days() -> None:
    cohort = cohort_of(cohort_days(3, 2))
    cohort.recipe["limits"] = {"min_worn": "30s"}
    rows = [row[:2] for row in method(cohort, {}, []).tables[0]().rows]
    assert ["Worn: wear in a minute", "at least 30 s"] in rows


def test_the_methods_have_the_tests_of_page_one() -> None:
    cohort = cohort_of(cohort_days(24, 3), outcome="blink_rate_per_min")
    part = method(cohort, {}, [])
    said = " ".join(part.to_paste.paragraphs)
    assert "Blink rate was named beforehand and tested on its own at 5 %, by a permutation" in said
    assert "(Janssen, 1997). The 7 other comparisons were tested by Welch's p, corrected" in said
    assert "to hold for 7 comparisons together (Bonferroni)" in said
    many = dict(part.terms)["Many comparisons"]
    assert "permutation test" in many
    assert "Holm" in many
    assert "Bonferroni" in many


def test_the_methods_do_not_claim_a_test_that_was_not_made() -> None:
    said = method(cohort_of(cohort_days(4, 3), outcome="steps"), {}, []).to_paste.paragraphs
    assert "Number of steps was named beforehand; it could not be tested." in " ".join(said)
    assert "Holm" not in " ".join(said)
    assert "Many comparisons" not in dict(
        method(cohort_of(cohort_days(3, 2), by=None), {}, []).terms
    )
