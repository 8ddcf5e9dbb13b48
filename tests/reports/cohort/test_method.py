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


def test_the_methods_to_paste_name_groups_losses_and_sources() -> None:
    text = method(cohort_of(cohort_days(10, 3)), {}, []).to_paste
    said = " ".join(text.paragraphs)
    assert "of 10 wearers" in said
    assert "(n = 5)" in said
    assert "(Welch, 1947), p corrected for" in said
    assert "with at least 4 h of wear. Each wearer counts once" in said
    assert any(line.startswith("Holm, S. (1979)") for line in text.references)
    alone = method(cohort_of(cohort_days(10, 3), by=None), {}, []).to_paste
    assert "compared" not in " ".join(alone.paragraphs)
