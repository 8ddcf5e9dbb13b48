"""The page: each section whole, or with the reason why not."""

import pytest

import eyelog as el
from eyelog.reports.page import render
from eyelog.reports.parts import Empty, PageTable, Part, Picture
from support.reported import said

DAYS = el.daily(el.sample("standard_mode_logs"))
GOOD = Picture("Steps", "by day", lambda: el.plot_daily(DAYS, "steps"))


def raises(error: Exception) -> object:
    raise error


def page(*parts: object, title: str = "Report") -> str:
    sections = {f"s{i}": (f"Section {i}", part) for i, part in enumerate(parts)}
    return render(sections, title=title, about="about")


def test_a_figure_or_table_that_cannot_be_made_takes_nothing_with_it() -> None:
    bad = Picture("Bad", "", lambda: raises(el.ConfigurationError("there are no rows")))
    table = PageTable("T", [("a", ""), ("b", "")], [["x", "1"]], [False, True], "t.csv", "a\n1\n")
    text = page(lambda: Part(["A"], [bad, GOOD], [lambda: raises(Empty("no gaps")), lambda: table]))
    assert said(text) == [
        "A",
        "This figure is not drawn: there are no rows.",
        "A table is left out: no gaps.",
    ]
    assert text.count("<svg") == 1
    assert "<caption" in text


def test_a_bug_in_one_part_is_warned_of_and_shown_in_its_place() -> None:
    with pytest.warns(el.EyelogWarning, match="lacks the section 'Section 0': ZeroDivisionError"):
        text = page(lambda: 1 / 0, lambda: Part(["B"]))
    assert said(text)[0].startswith("It failed (ZeroDivisionError: division by zero)")
    assert said(text)[1] == "B"


def test_what_comes_from_data_is_escaped() -> None:
    evil = '<script>alert("&")</script>'
    table = PageTable(evil, [(evil, evil)], [[evil]], [False], evil, evil)
    picture = Picture(evil, evil, GOOD.draw)
    part = Part([evil], [picture], [lambda: table], {evil: lambda: DAYS}, recipe=evil)
    text = page(lambda: part, title=evil)
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 10


def test_the_page_forbids_itself_scripts_and_the_network() -> None:
    text = page(lambda: Part(["A"]))
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert "<script" not in text


def test_a_page_one_that_cannot_be_made_says_why_and_the_sections_follow() -> None:
    text = render(
        {"s": ("Section", lambda: Part(["A"]))},
        title="Report",
        about="about",
        opening=lambda: raises(el.ConfigurationError("there are no days")),
    )
    assert said(text) == ["There are no days.", "A"]


def test_the_foot_of_a_printed_page_has_the_name_and_a_name_cannot_end_it() -> None:
    text = page(title='P"7; } body { display: none')
    foot = text.split("@bottom-left { content: ")[1].splitlines()[0]
    assert foot.startswith('"P\\22 7\\3b  \\7d  body \\7b  display')
    assert foot.count('"') == 2


def test_the_foot_shortens_words_that_would_reach_the_number_of_the_page() -> None:
    text = page(title=f"Report: {'W' * 130}")
    foot = text.split("@bottom-left { content: ")[1].splitlines()[0]
    assert foot.count("W") == 40
    spaced = " ".join(["name"] * 100)
    foot = page(title=spaced).split("@bottom-left { content: ")[1].splitlines()[0]
    assert foot.count("name") < 35
