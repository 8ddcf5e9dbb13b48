"""The query that the benchmark of cohorts compares with: the same days, from another engine."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CHECK = """
import sys
from pathlib import Path
import cohort
cohort.DAYS = 40  # over the end of a month
cohort.check(Path(sys.argv[1]))
"""


@pytest.mark.slow("a cohort is computed by two programs")
def test_polars_returns_each_column_of_the_days_of_a_cohort(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHECK, str(tmp_path)]
    done = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
