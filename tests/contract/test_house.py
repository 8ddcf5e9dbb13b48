"""The laws of the house: imports, names of fields and logs, what is published and described."""

import ast
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

import eyelog
from support.logs import INTERVAL_SECONDS, LOGS, columns, fields
from support.paths import ROOT
from support.processes import python


def test_imports_point_down() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# One after the other in a process: what a statement may not load, those before it may not either.
LIGHT = {
    "import eyelog.catalogue": {"pandas", "numpy"},
    "from eyelog.cli.main import main; main(['--help'])": {"pandas", "numpy"},
    "import eyelog": {"requests_cache", "pyarrow.parquet", "scipy"},
    "eyelog.daily, eyelog.Client, eyelog.Archive, eyelog.simulate, eyelog.blinks": {
        *("matplotlib", "dask", "starlette", "uvicorn")
    },
    # It takes longer to import than all the rest, in every worker process of a cohort again.
    "import eyelog.cohort.study, eyelog.series.compare": {"scipy.stats"},
}


def test_what_is_imported_loads_nothing_heavy_before_it_is_used() -> None:
    program = "import sys\n"
    for statement, heavy in LIGHT.items():
        program += f"{statement}\nprint('LOADED', *{heavy} & set(sys.modules))\n"
    loaded = [line for line in python(program).stdout.splitlines() if line.startswith("LOADED")]
    assert loaded == ["LOADED"] * len(LIGHT)


PACKAGES = ROOT / "src"


CATALOGUE = tomllib.loads((PACKAGES / "eyelog" / "catalogue.toml").read_text("utf-8"))["logs"]


OTHER_FILES = sorted(path for path in PACKAGES.rglob("*.py") if path.name != "catalogue.py")


NAMED = {"COMPUTED_DATA", "STANDARD_MODE_LOGS", "CURRENT_DATA"}


def names_a_log(node: ast.expr) -> bool:
    """Return whether an expression is the name of a log, or a tuple or list of such names."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(names_a_log, node.elts))
    if isinstance(node, ast.Constant):
        return node.value in CATALOGUE
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in NAMED


def asks_by_name(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        # `COMPUTED_DATA in frames` asks which logs there are, not which of them one is.
        there = isinstance(node.ops[0], ast.In | ast.NotIn)
        return any(map(names_a_log, [*([] if there else [node.left]), *node.comparators]))
    if isinstance(node, ast.MatchValue):
        return names_a_log(node.value)
    return False


def test_no_file_but_the_catalogue_compares_the_name_of_a_log() -> None:
    found = [
        f"{path.relative_to(PACKAGES)}:{node.lineno}"  # type: ignore[attr-defined]
        for path in OTHER_FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if asks_by_name(node)
    ]
    assert found == []


def test_the_law_finds_what_it_forbids() -> None:
    for text in (
        "log == COMPUTED_DATA",
        "rows.log == catalogue.CURRENT_DATA",
        "'computed_data' != log",
        "log in (STANDARD_MODE_LOGS,)",
    ):
        assert any(map(asks_by_name, ast.walk(ast.parse(text))))
    assert not any(map(asks_by_name, ast.walk(ast.parse("log_named(log).states_seconds"))))


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_known_by_its_name_and_its_roles_are_those_of_its_fields(name: str) -> None:
    log, of_log = CATALOGUE[name], fields(name)
    assert log["interval_s"] == INTERVAL_SECONDS[name]
    roles = {role for text in of_log["role"] for role in text.split()}
    assert {*log["rate_roles"], *log["time_roles"]["valid"], *log["time_roles"]["walking"]} <= roles
    assert ("measured_s" in roles) is log.get("states_seconds", False)
    cleansings = {*of_log["cleansing"]} - {""}
    assert (len(cleansings) == 2) is log.get("has_cleansings", False)


TOOLKIT = ROOT / "src" / "eyelog"


NAMES = {name for log in LOGS for name in columns(log)}


FILES = [
    path
    for room in ("analysis", "figures", "judge", "measure")
    for path in sorted((TOOLKIT / room).rglob("*.py"))
]


# Words that happen to be a field's name too.
OTHER_MEANINGS = {
    ("measure/__init__.py", "posture"): "the namespace eyelog.posture",
    ("measure/posture.py", "zone"): "the index of the table of posture.zones",
}


def strings(code: str) -> Iterator[tuple[int, str]]:
    """Yield each string of a module with its line, but not docstrings and other bare strings."""
    tree = ast.parse(code)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


@cache
def named_fields(path: Path) -> list[tuple[int, str]]:
    return [(line, text) for line, text in strings(path.read_text("utf-8")) if text in NAMES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(TOOLKIT).as_posix())
def test_no_code_of_analysis_and_figures_names_a_field(path: Path) -> None:
    room = path.relative_to(TOOLKIT).as_posix()
    found = [
        (line, name) for line, name in named_fields(path) if (room, name) not in OTHER_MEANINGS
    ]
    assert not found, "ask eyelog.catalogue.role for these fields"


def test_every_other_meaning_is_still_in_use() -> None:
    assert {
        (path.relative_to(TOOLKIT).as_posix(), name)
        for path in FILES
        for _, name in named_fields(path)
    } == set(OTHER_MEANINGS)


def test_a_field_is_seen_in_code_and_not_in_a_docstring() -> None:
    code = '"""stp"""\nSTEPS = ("stp",)\ndef f(x="bk_n"):\n    "cad"\n    return f"{x}bki_n"\n'
    assert sorted(strings(code)) == [(2, "stp"), (3, "bk_n"), (5, "bki_n")]


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
    every = (ROOT / "src").glob("eyelog*/**/*")
    files = [path.relative_to(ROOT / "src") for path in every if path.is_file()]
    assert {str(path) for path in files if "__pycache__" not in path.parts} <= held
    assert {name.split("/")[0] for name in held} == {
        "eyelog",
        "eyelog_service",
        f"eyelog-{eyelog.__version__}.dist-info",
    }


MAP = (ROOT / "docs" / "house.md").read_text()


CHANGES = (ROOT / "CHANGELOG.md").read_text()


RELEASES = re.findall(r"^## (\S+) - (\S+)$", CHANGES, re.MULTILINE)


@pytest.fixture
def citation() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    return loaded


def test_the_citation_states_what_the_package_states(citation: dict[str, Any]) -> None:
    assert citation["title"] == PROJECT["project"]["name"]
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["authors"] == PROJECT["project"]["authors"]
    assert citation["keywords"] == PROJECT["project"]["keywords"]


def test_the_citation_is_of_the_last_release(citation: dict[str, Any]) -> None:
    assert (citation["version"], str(citation["date-released"])) == RELEASES[0]


def test_the_version_is_the_last_release_or_the_one_in_progress() -> None:
    base, dev, _ = eyelog.__version__.partition(".dev")
    newest = f"## {base} (in progress)" if dev else f"## {base} - {RELEASES[0][1]}"
    assert newest == next(line for line in CHANGES.splitlines() if line.startswith("## "))


def test_the_address_of_the_repository_is_the_same_everywhere(citation: dict[str, Any]) -> None:
    assert PROJECT["project"].get("urls", {}).get("Repository") == citation.get("repository-code")


def test_the_paper_cites_what_its_bibliography_has_as_the_methods_do() -> None:
    text, entries = ((ROOT / "paper" / name).read_text() for name in ("paper.md", "paper.bib"))
    cited = set(re.findall(r"@(\w+)", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),$", entries, re.MULTILINE))
    literature = json.loads(files("eyelog.reports").joinpath("literature.json").read_text("utf-8"))
    for item in literature:
        if item["id"] in cited:
            assert item["title"] in entries
            assert item.get("DOI", "") in entries


def test_the_citation_has_what_its_format_requires(citation: dict[str, Any]) -> None:
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["message"]


def test_the_hooks_download_nothing() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")


@pytest.mark.parametrize("package", ["eyelog", "eyelog_service"])
def test_the_map_names_rooms_that_are_there(package: str) -> None:
    source = ROOT / "src" / package
    rooms = {
        str(path.parent.relative_to(source))
        for path in source.rglob("__init__.py")
        if path.parent != source
    }
    plan = MAP[MAP.index("## The plan") : MAP.index("## The layers")]
    toolkit, service = plan.split("The rooms of `eyelog_service/`")
    table = toolkit if package == "eyelog" else service
    assert rooms == {room for room in rooms if f"`{room}/`" in table}


def test_the_map_names_the_files_outside_rooms() -> None:
    plan = MAP[MAP.index("## The plan") : MAP.index("## The layers")]
    for file in (ROOT / "src" / "eyelog").glob("*.py"):
        assert f"`{file.name}`" in plan or file.name == "__main__.py"


def test_the_map_shows_the_layers_that_are_enforced() -> None:
    section = MAP[MAP.index("## The layers") : MAP.index("## The laws")]
    (drawn,) = [part for part in section.split("\n\n") if part.startswith("    ")]
    (enforced,) = [
        contract["layers"]
        for contract in PROJECT["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == ["eyelog"]
    ]
    assert [line.strip() for line in drawn.splitlines()] == enforced
