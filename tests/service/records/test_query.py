"""Which fields, dates and ranges a data request may have, and how a broken rule is named."""

import pytest

from support.live import COMPUTED, STANDARD, Live
from support.replies import DAY, records_of, refusal

ADDRESS = f"/v2/users/me/official/{STANDARD}"


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ("date,stp", ["date", "stp"]),
        ("vld,stp", ["stp", "vld"]),
        ("gw,date,gw", ["date", "gw"]),
        ("date", ["date"]),
    ],
)
def test_records_have_exactly_the_requested_fields(
    there: Live, token: str, fields: str, names: list[str]
) -> None:
    body = there.get(COMPUTED, *DAY, token=token, fields=fields).json()
    assert all(list(record) == names for record in records_of(body, COMPUTED))


@pytest.mark.parametrize(
    "fields", ["", ",", "stp,", "stpp", "date, stp", "STP", "wea_s", "rbk_m", "x" * 999]
)
def test_an_unknown_field_name_is_refused(there: Live, token: str, fields: str) -> None:
    text = refusal(there.get(COMPUTED, *DAY, token=token, fields=fields))
    assert "unknown field" in text
    assert len(text) < 300
    assert ("did you mean 'rbk_n'?" in text) == (fields == "rbk_m")


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "2026-10-24",
        "2026-10-24T00:00:00",
        "2026-10-24 00:00:00+00:00",
        "2026-10-24T00:00+00:00",
        "2026-10-24T24:00:00Z",
        "2026-10-24T00:00:60Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-10-24T00:00:00+24:00",
        "2026-10-24T00:00:00.5Z",
        "2026-10-24T00:00:00Z\n",
        "20261024T000000Z",
        "٢٠٢٦-10-24T00:00:00Z",
        "0001-01-01T00:00:00+09:00",
        "9999-12-31T23:59:59-09:00",
        "1793000000",
        "yesterday\x00",
    ],
)
def test_a_date_that_is_not_rfc_3339_is_refused(there: Live, token: str, wrong: str) -> None:
    assert "date_from" in refusal(there.get(STANDARD, wrong, DAY[1], token=token))
    assert "date_to" in refusal(there.get(STANDARD, DAY[0], wrong, token=token))


def test_a_plus_that_was_not_encoded_is_explained(there: Live, token: str) -> None:
    asked = "date_from=2026-10-24T00:00:00+09:00&date_to=2026-10-24T01:00:00+09:00"
    assert "%2B" in refusal(there.ask(f"{ADDRESS}?{asked}", token=token))


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [
        ("2026-10-24T00:00:00Z", "2026-10-25T00:00:00Z", "spans days"),
        ("2026-10-24T23:00:00Z", "2026-10-25T01:00:00Z", "spans days"),
        ("2026-10-24T23:59:59+09:00", "2026-10-25T00:00:00+09:00", "spans days"),
        ("2026-10-24T02:00:00Z", "2026-10-24T01:59:59Z", "later than date_to"),
        ("2026-10-25T00:00:00+02:00", "2026-10-25T23:59:59+01:00", "23:59:59 apart"),
    ],
)
def test_a_broken_range_is_refused(there: Live, token: str, start: str, end: str, why: str) -> None:
    assert why in refusal(there.get(STANDARD, start, end, token=token))


def test_missing_repeated_and_unknown_parameters_are_named(there: Live, token: str) -> None:
    def ask(*pairs: tuple[str, str]) -> str:
        return refusal(there.ask(ADDRESS, token=token, params=list(pairs)))

    start, end = ("date_from", DAY[0]), ("date_to", DAY[1])
    assert "'date_from' is missing" in ask()
    assert "'date_to' is missing" in ask(start)
    assert "'date_to' is given more than once" in ask(start, end, end)
    assert "did you mean 'fields'?" in ask(start, end, ("field", "bl"))
    assert "unknown parameter 'access_token'" in ask(start, end, ("access_token", token))


def test_both_ends_of_the_range_are_included(there: Live, token: str) -> None:
    body = there.get(
        STANDARD, "2026-10-24T00:10:00Z", "2026-10-24T00:12:00Z", token=token, fields="date"
    ).json()
    assert [r["date"][14:16] for r in records_of(body, STANDARD)] == ["10", "11", "12"]


def test_a_day_on_which_the_clock_goes_forward_is_one_request(there: Live, token: str) -> None:
    day = ("2026-03-29T00:00:00+01:00", "2026-03-29T23:59:59+02:00")
    assert records_of(there.get(STANDARD, *day, token=token).json(), STANDARD) == []
