"""Each notebook asks one question, stores small outputs, and is nobody's machine's."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT

FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 60_000


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    chosen: Path = request.param
    return chosen


@pytest.fixture
def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text())["cells"]
    return found


def outputs(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [output for cell in cells for output in cell.get("outputs", [])]


def test_the_notebooks_are_numbered_from_one() -> None:
    assert [int(path.stem[:2]) for path in NOTEBOOKS] == list(range(1, len(NOTEBOOKS) + 1))


def test_a_notebook_is_titled_by_its_question_and_ends_with_what_was_learned(cells) -> None:
    title = "".join(cells[0]["source"]).splitlines()[0]
    assert re.match(r"# .*\?", title)
    end = "".join(cells[-1]["source"])
    assert "## What we learned" in end
    assert "Read on:" in end


def test_every_cell_was_run_and_none_failed_or_wrote_to_stderr(cells) -> None:
    counts = [cell["execution_count"] for cell in cells if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert {output["output_type"] for output in outputs(cells)} <= {
        "display_data",
        "execute_result",
    }


def test_the_figures_are_small(cells) -> None:
    images = [o["data"]["image/png"] for o in outputs(cells) if "image/png" in o.get("data", {})]
    assert [size for image in images if (size := len(base64.b64decode(image))) > MOST_BYTES] == []


def test_no_output_has_a_path_of_a_machine(path: Path) -> None:
    text = path.read_text()
    assert re.findall(r"(?:/tmp/|/home/|/root/|/Users/|C:\\\\)[^\s\"']*", text) == []


def test_the_links_between_notebooks_lead_somewhere(cells) -> None:
    text = "\n".join("".join(cell["source"]) for cell in cells)
    links = re.findall(r"\]\(([^)#]+\.ipynb)\)", text)
    assert [link for link in links if not (FOLDER / link).is_file()] == []
