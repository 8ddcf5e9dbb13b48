"""The file of a report."""

import pytest

import eyelog as el
from eyelog.reports.page import check_texts


def test_only_text_is_text() -> None:
    check_texts(name=None, dated="today")
    for wrong in ("  ", 7):
        with pytest.raises(el.ConfigurationError, match="dated must be text"):
            check_texts(dated=wrong)
