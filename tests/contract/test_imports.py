"""Who may import whom, and what an import may cost."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_imports_point_down() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


HEAVY = {"matplotlib", "dask", "starlette", "uvicorn", "requests_cache", "pyarrow.parquet", "scipy"}


def test_importing_eyelog_loads_nothing_heavy() -> None:
    assert loaded_after("import eyelog") & HEAVY == set()


def test_the_names_of_the_main_job_load_neither_figures_nor_cluster_nor_web_framework() -> None:
    names = ["daily", "Client", "Archive", "simulate", "blinks"]
    found = loaded_after("import eyelog; " + "; ".join(f"eyelog.{name}" for name in names))
    assert found & {"matplotlib", "dask", "starlette", "uvicorn"} == set()


@pytest.mark.parametrize(
    "statement",
    ["import eyelog.catalogue", "from eyelog.cli.main import main; main(['--help'])"],
)
def test_the_catalogue_and_the_parser_load_neither_pandas_nor_numpy(statement: str) -> None:
    assert loaded_after(statement) & {"pandas", "numpy"} == set()


def test_scipy_stats_is_not_loaded_before_it_is_used() -> None:
    # It takes longer to import than all the rest, in every worker process of a cohort again.
    found = loaded_after("import eyelog.cohort.wearer_months, eyelog.series.compare")
    assert "scipy.stats" not in found
