"""A running service that takes uploads."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from support import live

Post = Callable[..., requests.Response]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[live.Live]:
    """A service with two wearers who have sent nothing."""
    with live.service(tmp_path / "archive", {"ada": [], "bea": []}) as running:
        yield running


@pytest.fixture
def token(there: live.Live) -> str:
    return there.registry.grants.issue_upload_token("ada")


@pytest.fixture
def post(there: live.Live, token: str) -> Post:
    """Post a raw body, or `files` of a form, as Ada unless `bearer` is given."""

    def post(body: Any = None, *, bearer: str = token, **more: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {bearer}", **more.pop("headers", {})}
        url = f"{there.url}/v1/records"
        return requests.post(url, data=body, headers=headers, timeout=60, **more)

    return post
