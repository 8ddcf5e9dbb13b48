"""Every figure has a script in the gallery; that it draws is seen when the site is built."""

import inspect

import pytest

import eyelog as el
from support.paths import ROOT

GALLERY = ROOT / "docs" / "gallery"
SCRIPTS = sorted(
    path.relative_to(GALLERY).with_suffix("").as_posix() for path in GALLERY.glob("*/plot_*.py")
)
QUESTIONS = [name for name in SCRIPTS if name.startswith("questions/")]


def test_every_figure_has_a_script() -> None:
    figures = [name for name in dir(el) if name.startswith("plot_")]
    assert all(inspect.isfunction(getattr(el, name)) for name in figures)
    drawn = [name.rpartition("/")[2] for name in SCRIPTS if name not in QUESTIONS]
    assert sorted(drawn) == sorted(figures)


def test_every_section_has_its_question_and_its_place_on_the_site_and_the_sheet() -> None:
    sections = {path.name for path in GALLERY.iterdir() if path.is_dir() and path.name[0] != "_"}
    conf = (ROOT / "docs" / "conf.py").read_text()
    sheet = (GALLERY / "make_sheet.py").read_text()
    for name in sections:
        assert (GALLERY / name / "GALLERY_HEADER.rst").read_text().splitlines()[1].strip("-") == ""
        assert f'"{name}"' in conf
        assert f'"{name}"' in sheet or name == "questions"


def test_every_question_with_a_picture_for_an_answer_has_a_script() -> None:
    titles = {(GALLERY / f"{name}.py").read_text().splitlines()[1] for name in QUESTIONS}
    pages = ROOT.glob("docs/how-to/*.md")
    asked = {path.read_text().splitlines()[0].removeprefix("# ") for path in pages}
    assert titles <= asked
    tables = {  # answered by a table
        "What is in my Logger folder?",
        "Does it depend on the limits?",
        "How many days do I need?",
        "What could my study have seen?",
        "How do I leave out lunch?",
    }
    assert {title for title in asked - titles if title.endswith("?")} == tables


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_has_a_title_a_sentence_and_public_names_alone(name: str) -> None:
    text = (GALLERY / f"{name}.py").read_text()
    title, underline, blank, sentence = text.splitlines()[1:5]
    assert len(underline) == len(title)
    assert set(underline) == {"="}
    assert blank == ""
    assert sentence
    assert "eyelog." not in text
