"""A browser at the running service."""

import pytest

from support.live import Live
from support.login_page import Browser


@pytest.fixture
def browser(there: Live) -> Browser:
    return Browser(there)
