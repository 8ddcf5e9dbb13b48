"""The OpenAPI document is true: schemathesis asks a service against it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance

from support import live
from support.live import Live
from support.login_page import CALLBACK, PASSWORD, Browser, sent_back
from support.logs import LOGS, columns
from support.records import records

NAMES = {log: ["date", *columns(log)] for log in LOGS}
PATHS = {
    "/v1/oauth/token": {"post"},
    "/v1/oauth/revoke": {"post"},
    "/v1/oauth/authorize": {"get", "post"},
    "/account": {"get", "post"},
    "/invitation": {"get", "post"},
    "/v1/records": {"post"},
    "/v2/users/me/official/computed_data": {"get"},
    "/v2/users/me/official/standard_mode_logs": {"get"},
    "/openapi.json": {"get"},
    "/health": {"get"},
    "/version": {"get"},
    "/": {"get"},
}


def test_every_name_in_the_text_of_the_document_is_filled_by_the_service(tmp_path: Path) -> None:
    with live.running(tmp_path, page_size=37, root_path="/at/lab") as url:
        found = requests.get(f"{url}/at/lab/openapi.json", timeout=30).json()
        version = requests.get(f"{url}/at/lab/version", timeout=30).json()["contract"]
    text = json.dumps(found)
    assert "{{" not in text
    assert found["info"]["version"] == version
    assert found["servers"] == [{"url": "/at/lab"}]
    token = found["components"]["schemas"]["Token"]["properties"]
    assert token["expires_in"]["const"] == 30 * 24 * 3600
    assert "Default: official." in text
    assert "At most 37 records" in text


def test_every_path_of_the_service_is_in_the_document(tmp_path: Path) -> None:
    assert live.routes(tmp_path) == PATHS


def test_the_document_lists_every_path_and_field(there: Live) -> None:
    found = requests.get(f"{there.url}/openapi.json", timeout=30).json()
    assert found["openapi"].startswith("3.1")
    assert found["servers"] == [{"url": "/"}]
    assert {path: set(methods) for path, methods in found["paths"].items()} == PATHS
    for log in LOGS:
        record = found["components"]["schemas"][f"{log}_record"]
        assert list(record["properties"]) == NAMES[log]
        (fields,) = (
            each
            for each in found["paths"][f"/v2/users/me/official/{log}"]["get"]["parameters"]
            if each["name"] == "fields"
        )
        assert fields["schema"]["items"]["enum"] == NAMES[log]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """A service behind its own document, with a token that no case will guess to revoke."""
    folder: Path = tmp_path_factory.mktemp("openapi") / "archive"
    frames = [records(log, "2026-10-24 00:01", 30) for log in LOGS]
    with live.service(folder, {"ada": frames}, page_size=20, password=PASSWORD) as there:
        browser = Browser(there)
        sent = browser.send(browser.open(scope="official write"), password=PASSWORD)
        answer = there.exchange(sent_back(sent)["code"], redirect_uri=CALLBACK)
        schema = schemathesis.openapi.from_url(f"{there.url}/openapi.json")
        yield schema, answer.json()["access_token"]


OPERATIONS = [(path, method) for path, methods in PATHS.items() for method in sorted(methods)]


def _drive(api: Any, path: str, method: str, examples: int) -> None:
    schema, access = api

    @settings(max_examples=examples)
    @given(case=schema[path][method].as_strategy())
    def every_answer_is_described(case: schemathesis.Case) -> None:
        # No schema can say that a date exists, a range is whole, or a code was issued.
        case.call_and_validate(
            headers={"Authorization": f"Bearer {access}"},
            excluded_checks=[positive_data_acceptance],
        )

    every_answer_is_described()


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_is_one_that_is_described(api: Any, path: str, method: str) -> None:
    _drive(api, path, method, 6)


OFFSETS = ["Z", "+00:00", "+0000", "+09:00", "-03:30", "+14:00"]


@pytest.mark.parametrize("log", LOGS)
def test_every_page_is_as_described(api: Any, log: str) -> None:
    schema, access = api
    operation = schema[f"/v2/users/me/official/{log}"]["get"]

    @settings(max_examples=12)
    @given(
        day=st.sampled_from(["2026-10-23", "2026-10-24"]),
        offset=st.sampled_from(OFFSETS),
        fields=st.lists(st.sampled_from(NAMES[log]), max_size=5),
    )
    def every_page_is_described(day: str, offset: str, fields: list[str]) -> None:
        query = {"date_from": f"{day}T00:00:00{offset}", "date_to": f"{day}T23:59:59{offset}"}
        query |= {"fields": ",".join(fields)} if fields else {}
        case = operation.Case(query=query, headers={"Authorization": f"Bearer {access}"})
        answer = case.call_and_validate()
        assert answer.status_code == 200
        cursor = answer.json()["cursor"]
        if cursor:
            case = operation.Case(
                query=query | {"cursor": cursor}, headers={"Authorization": f"Bearer {access}"}
            )
            assert case.call_and_validate().json()["cursor"] is None

    every_page_is_described()


@pytest.mark.slow("hundreds of drawn requests")
@pytest.mark.timeout(1200)  # each upload is imported by a process of its own
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_to_many_requests_is_described(api: Any, path: str, method: str) -> None:
    _drive(api, path, method, 20)
