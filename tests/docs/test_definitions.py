"""The page of definitions runs, and its figures are those that its code returns."""

from typing import Any

import pytest

import eyelog as el
from support.pages import python_blocks, run_blocks
from support.paths import ROOT

PAGE = ROOT / "docs" / "definitions.md"


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return run_blocks(PAGE, python_blocks(PAGE))


def test_both_readings_of_wear_are_shown_with_their_figures(names: dict[str, Any]) -> None:
    page = PAGE.read_text()
    for (log, reading), row in names["wear"].iterrows():
        cells = [f"{row[name]:.1f}" for name in ("worn_h", "usable_h", "turns_per_h")]
        line = " | ".join([log, reading, *cells, f"{row['steps']:.0f}"])
        assert f"| {line} |" in page


def test_what_the_page_says_of_the_readings_is_so(names: dict[str, Any]) -> None:
    wear = names["wear"]
    for log in ("computed_data", "standard_mode_logs"):
        to_truth = wear.loc[log] / wear.loc[(log, "planted")]
        lost, more = 1 - to_truth.loc["device", "worn_h"], to_truth.loc["device", "turns_per_h"] - 1
        assert round(100 * lost) in (12, 13)
        assert round(100 * more) in (11, 12, 13)
        assert to_truth.loc["blinks", "worn_h"] == pytest.approx(1, abs=0.01)


def test_the_page_names_every_reason() -> None:
    page = PAGE.read_text()
    assert all(f"| {name} |" in page for name in el.Reason.__members__)
