"""The README's Python runs from top to bottom, but for the cells that need a service."""

import matplotlib.pyplot as plt
import pytest

from support.pages import python_blocks, run_blocks
from support.paths import ROOT

README = ROOT / "README.md"
NEEDS_DATA = ("el.connect(", 'el.Archive("./archive")')


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = python_blocks(README)
    runnable = [b for b in blocks if not any(call in b for call in NEEDS_DATA)]
    assert len(runnable) == len(blocks) - len(NEEDS_DATA)
    run_blocks(README, runnable)
    plt.close("all")
    assert "blink_rate_per_min" in capsys.readouterr().out
