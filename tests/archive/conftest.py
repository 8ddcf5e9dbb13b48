"""What the tests of the archive share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import eyelog as el
from support import faulty
from support.paged import Paged


@pytest.fixture
def archive(tmp_path: Path) -> el.Archive:
    return el.Archive(tmp_path / "archive")


@pytest.fixture
def there() -> Iterator[faulty.Server]:
    with faulty.server(Paged(size=50)) as server:
        yield server
