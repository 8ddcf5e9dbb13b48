"""The method: definitions, limits, recipe."""

import json

import eyelog as el
from eyelog.catalogue import catalogue_version
from eyelog.reports.logs import as_logs
from eyelog.reports.method import method
from support.reported import FIFTEEN, SIXTY, cells, logs


def test_the_recipe_names_arguments_versions_ranges_and_provenance() -> None:
    recipe = json.loads(method(logs(), {"sections": ["days"]}, []).recipe)
    assert recipe["report"] == {"sections": ["days"]}
    assert recipe["versions"]["eyelog"] == el.__version__
    assert recipe["catalogue"] == catalogue_version()
    of_log = recipe["logs"][SIXTY]
    assert of_log["records"] == len(logs().frames[SIXTY])
    assert of_log["first"].startswith("2026-10-19")
    assert of_log["history"][0]["step"] == "simulate"
    assert len(of_log["days_sha256"]) == 64


def test_a_detail_that_fills_pages_is_not_printed() -> None:
    frame = logs(FIFTEEN).frames[FIFTEEN].copy()
    steps = [{"step": "other", "spans": list(range(1000))}]
    frame.attrs = {"eyelog": {"log": FIFTEEN, "history": steps}}
    recipe = json.loads(method(as_logs(frame), {}, []).recipe)
    assert recipe["logs"][FIFTEEN]["history"] == [{"step": "other", "spans": "(too long to print)"}]


def test_each_limit_stands_with_its_source() -> None:
    (table,) = (make() for make in method(logs(FIFTEEN), {}, []).tables)
    rows = {row[0]: row for row in table.rows}
    day = "Day that counts: wear in a day"
    assert rows[day][1:] == ["at least 4 h", "eyelog"]
    assert f"{day},at least 4 h,15-second log,eyelog" in table.csv.splitlines()
    assert all(row[2] for row in table.rows)


def test_what_the_numbers_lacked_is_noted() -> None:
    assert method(logs(), {}, ["no noise_s in the frame"]).findings[-1] == (
        "Note: no noise_s in the frame"
    )


def test_definitions_come_with_their_sources() -> None:
    text = " ".join(meaning for _, meaning in method(logs(), {}, []).terms)
    for source in ("Garwood 1936", "Thompson 1936", "Dall", "Van Someren", "Bland & Altman 1999"):
        assert source in text


def test_a_limit_of_one_log_of_several_names_it() -> None:
    both = cells(method(logs(), {}, []).tables[0]())
    assert "Day that counts: wear in a day" in both
    assert "Worn: wear in a minute (60-second log)" in both
    assert "High score (15-second log)" in both
    alone = method(logs(SIXTY), {}, []).tables[0]()
    assert [label for label, _ in alone.headers] == ["Limit", "Value", "Source"]
    assert "60-second log" not in " ".join(row[0] for row in alone.rows)
