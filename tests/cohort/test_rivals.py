"""The queries that the benchmark of cohorts compares with: the same days, from other engines."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CHECK = """
import sys
from pathlib import Path
import cohort
from cohort import SIMULATED, STANDARD_MODE_LOGS, archive_of, check
cohort.DAYS = 40  # over the end of a month
check(archive_of(Path(sys.argv[1]), STANDARD_MODE_LOGS, 10 * len(SIMULATED)))
"""


@pytest.mark.slow("a cohort is computed by three programs")
def test_polars_and_duckdb_return_each_column_of_the_days_of_a_cohort(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHECK, str(tmp_path)]
    done = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
