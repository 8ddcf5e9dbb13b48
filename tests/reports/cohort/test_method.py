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
    assert any("Worn at least" in row[0] for row in part.tables[0]().rows)
