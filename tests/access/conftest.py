"""Fixtures of the client's tests."""

from collections.abc import Iterator

import pytest

from support import faulty
from support.paged import Paged


@pytest.fixture
def there() -> Iterator[faulty.Server]:
    """A service with a record per hour, ten to a page."""
    with faulty.server(Paged()) as server:
        yield server
