"""Reading replies of the service in tests."""

from typing import Any

import requests

DAY = ("2026-10-24T00:00:00+00:00", "2026-10-24T23:59:59+00:00")


def records_of(page: dict[str, Any], log: str) -> list[dict[str, Any]]:
    """Return the records of one page, in order."""
    return [record for hour in page[log].values() for record in hour]


def refusal(answer: requests.Response, error: str = "invalid_request") -> str:
    """Check the shape of a 400 and return its description."""
    assert answer.status_code == 400, answer.text
    assert answer.headers["Content-Type"] == "application/json"
    body = answer.json()
    assert set(body) == {"error", "error_description"}
    assert body["error"] == error
    return str(body["error_description"])


def oauth_error(answer: requests.Response, status: int) -> str:
    """Check the shape of an OAuth error and return its name."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    assert set(body) == {"error", "error_description"}
    assert body["error_description"]
    return str(body["error"])
