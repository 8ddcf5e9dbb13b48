"""What is published: it can be built, holds what it needs, and works outside the project."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import eyelog
from support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]


def names(requirements: list[object]) -> set[str]:
    return {
        str(line).split(">=")[0].split("[")[0] for line in requirements if isinstance(line, str)
    }


def test_all_has_every_extra_that_needs_no_account_elsewhere() -> None:
    (line,) = EXTRAS["all"]
    assert set(line.removeprefix("eyelog[").removesuffix("]").split(",")) == {*EXTRAS} - {
        "all",
        "s3",
    }


def test_tools_of_the_project_are_groups_and_not_extras() -> None:
    assert set(GROUPS) == {"test", "docs", "dev"}
    assert not {*GROUPS} & {*EXTRAS}
    shipped = names(PROJECT["project"]["dependencies"]).union(*map(names, EXTRAS.values()))
    assert not shipped & {"pytest", "ruff", "mypy", "sphinx", "numpydoc", "hypothesis"}


def test_every_requirement_of_the_project_is_pinned_for_the_tests() -> None:
    pinned = {
        line.split("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
    }
    lists = [PROJECT["project"]["dependencies"], *EXTRAS.values(), *GROUPS.values()]
    assert {name.lower() for name in set().union(*map(names, lists))} - pinned == {"eyelog"}


def test_the_version_is_the_one_of_the_package() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev0)?", eyelog.__version__)
    assert PROJECT["project"]["dynamic"] == ["version"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.mark.slow("a distribution is built")
@pytest.mark.timeout(1800)
def test_the_source_has_what_the_tests_need_and_nothing_made(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        held = {name.split("/", 1)[-1] for name in archive.getnames()}
    listing = ["git", "ls-files", "-z"]  # names may hold spaces
    tracked = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode == 0 and tracked.stdout:
        assert {*tracked.stdout.rstrip("\0").split("\0")} - held == set()
    needed = {"Makefile", "constraints.txt", ".ci/run", "tests/conftest.py", "docs/conf.py"}
    assert needed <= held
    assert not any(name.startswith(("docs/_build", "docs/figures", ".venv")) for name in held)


@pytest.mark.slow("a distribution is built")
@pytest.mark.timeout(1800)
def test_the_wheel_has_the_package_and_its_data(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        held = set(wheel.namelist())
    data = [p for p in (ROOT / "src").rglob("*") if p.suffix in (".csv", ".css", ".html", ".pyi")]
    assert {str(path.relative_to(ROOT / "src")) for path in data} <= held
    assert "eyelog/py.typed" in held
    assert {name.split("/")[0] for name in held} == {
        "eyelog",
        "eyelog_service",
        f"eyelog-{eyelog.__version__}.dist-info",
    }
