"""How the numbers of a cohort came about."""

import json

import eyelog as el
from eyelog.reports.cohort import method
from support.cohort_days import cohort_days, cohort_of


def test_the_recipe_has_versions_arguments_and_the_digest_of_the_archive() -> None:
    part = method(cohort_of(cohort_days(3, 2)), {"by": "group"}, ["a note"])
    recipe = json.loads(part.recipe)
    assert recipe["report"] == {"by": "group"}
    assert recipe["versions"]["eyelog"] == el.__version__
    assert recipe["cohort"]["inventory"] == "0" * 64
    assert part.findings[-1] == "Note: a note"
    assert any(one.startswith("Welch, 1947, Biometrika") for one in part.to_paste.brief)
    assert ["Worn: wear in a minute", "at least 20 s"] in [row[:2] for row in part.tables[0]().rows]


def test_the_limits_are_those_of_the_days() -> None:
    cohort = cohort_of(cohort_days(3, 2))
    cohort.recipe["limits"] = {"min_worn": "30s"}
    rows = [row[:2] for row in method(cohort, {}, []).tables[0]().rows]
    assert ["Worn: wear in a minute", "at least 30 s"] in rows


def test_the_methods_do_not_claim_a_test_that_was_not_made() -> None:
    said = method(cohort_of(cohort_days(4, 3), outcome="steps"), {}, []).to_paste.paragraphs
    assert "Number of steps was named beforehand; it could not be tested." in " ".join(said)
    assert "Holm" not in " ".join(said)
