"""The file of a report."""

import os
import warnings
from pathlib import Path

import pytest

import eyelog as el
from eyelog.reports.report_file import check_texts, noticing, page_file, write_page


def test_a_page_needs_a_folder_and_an_ending(tmp_path: Path) -> None:
    assert page_file(tmp_path / "a.html", what="f") == tmp_path / "a.html"
    with pytest.raises(el.ConfigurationError, match=r"end its name with \.html"):
        page_file(tmp_path / "a.txt", what="f")
    with pytest.raises(el.ConfigurationError, match="no folder"):
        page_file(tmp_path / "none" / "a.html", what="f")


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


def test_each_notice_is_gathered_and_given_once_at_the_end() -> None:
    notices: list[str] = []

    def twice() -> None:
        with noticing(notices):
            for _ in range(2):
                warnings.warn("so it is", el.EyelogWarning, stacklevel=1)

    with pytest.warns(el.EyelogWarning) as caught:
        twice()
    assert notices == ["so it is"]
    assert [str(one.message) for one in caught] == ["so it is"]
