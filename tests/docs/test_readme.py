"""The README's Python runs from top to bottom, and the page stays short."""

from support.pages import python_blocks, run_blocks
from support.paths import ROOT

README = ROOT / "README.md"


def test_the_python_of_the_readme_runs() -> None:
    blocks = python_blocks(README)
    assert blocks
    run_blocks(README, blocks)


def test_the_readme_fits_a_few_screens_and_its_picture_is_there() -> None:
    text = README.read_text()
    assert len(text.splitlines()) < 120
    assert "](docs/overview.png)" in text
    assert (ROOT / "docs" / "overview.png").stat().st_size > 10_000
