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


@pytest.mark.parametrize("name", ["daily", "Client", "Archive", "simulate", "blinks"])
def test_the_names_of_the_main_job_load_neither_figures_nor_cluster_nor_web_framework(
    name: str,
) -> None:
    loaded = loaded_after(f"import eyelog; eyelog.{name}")
    assert loaded & {"matplotlib", "dask", "starlette", "uvicorn"} == set()
