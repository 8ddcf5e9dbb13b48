"""The file of a report."""

import os
from pathlib import Path

import pytest

import eyelog as el
from eyelog.reports.report_file import check_texts, write_page


def test_a_page_is_private_and_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    path = write_page(tmp_path / "a.html", "text")
    assert path.read_text() == "text"
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0
    (tmp_path / "b.html").mkdir()
    with pytest.raises(el.EyelogError, match="cannot write"):
        write_page(tmp_path / "b.html", "text")


def test_only_text_is_text() -> None:
    check_texts(name=None, dated="today")
    for wrong in ("  ", 7):
        with pytest.raises(el.ConfigurationError, match="dated must be text"):
            check_texts(dated=wrong)
