"""The files of datasets/ are what the script makes, and are what they say."""

import importlib.util
import io
import zipfile
from functools import cache
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

import eyelog as el
from support.logs import LOGS
from support.paths import DATASETS


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sample", DATASETS / "make_sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MADE = script()
MADE.FILES = {name: cache(make) for name, make in MADE.FILES.items()}


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as box:
        return {name: box.read(name) for name in box.namelist()}


def test_the_folder_holds_what_the_script_makes_and_nothing_else() -> None:
    found = {path.name for path in DATASETS.iterdir() if path.is_file()}
    assert found == {*MADE.FILES, "README.md", "make_sample.py"}


@pytest.mark.parametrize("name", MADE.FILES)
def test_a_committed_file_holds_what_the_script_makes(name: str) -> None:
    # Compressed bytes may differ between versions of the packers; what is in them may not.
    committed, made = (DATASETS / name).read_bytes(), MADE.FILES[name]()
    if name.endswith(".parquet"):
        one, other = (pd.read_parquet(io.BytesIO(each)) for each in (committed, made))
        pd.testing.assert_frame_equal(one, other)
    elif name.endswith(".zip"):
        assert members(committed) == members(made)
    else:
        assert committed == made


def test_every_file_is_small() -> None:
    sizes = {path.name: path.stat().st_size for path in DATASETS.iterdir() if path.is_file()}
    assert max(sizes.values()) < 900_000, sizes


@pytest.mark.parametrize("log", LOGS)
def test_the_parquet_file_is_the_sample(log: str) -> None:
    pd.testing.assert_frame_equal(pd.read_parquet(DATASETS / f"{log}.parquet"), el.sample(log))


@pytest.mark.parametrize("log", LOGS)
def test_the_dictionary_names_every_field(log: str) -> None:
    text = (DATASETS / "data-dictionary.md").read_text("utf-8").split(f"## {log}")[1]
    part = text.split("\n## ")[0]
    rows = [line.split("|")[1].strip(" `") for line in part.splitlines() if line.startswith("| `")]
    assert rows == el.fields(log).index.tolist()


def test_the_script_writes_into_the_folder_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["make_sample.py", str(tmp_path / "new")])
    MADE.main()
    assert {path.name for path in (tmp_path / "new").iterdir()} == set(MADE.FILES)
    assert "data-dictionary.md" in capsys.readouterr().out
