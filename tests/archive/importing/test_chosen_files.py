"""Records of files reach a frame and an archive in one way: chosen once, each file opened once."""

from pathlib import Path

import pytest

import eyelog as el
from eyelog.answers.page import Page
from eyelog.archive.importing import chosen_files
from eyelog.archive.importing.chosen_files import ChosenFiles
from eyelog.archive.importing.intake import import_files
from eyelog.archive.importing.log_file import LogFile
from eyelog.archive.importing.sources import input_file
from eyelog.errors import ConfigurationError, EyelogError
from support.loggerfiles import Put

TWO = "user_id,date,stp\n" + "".join(
    f"{name},2026-10-21T00:0{minute}:00Z,{minute}\n"
    for name in ("ada", "bob")
    for minute in range(5)
)
NONE = "user_id,date,stp\n"


def taken(files: ChosenFiles, path: Path) -> list[tuple[str, list[float]]]:
    given: list[tuple[str, list[float]]] = []

    def keep(_: LogFile, wearer: str, pages: list[Page]) -> None:
        given.append((wearer, [steps for page in pages for steps in page.columns["stp"].tolist()]))

    files.take(input_file(path, path.name), keep)
    return given


def test_records_are_given_by_wearer_or_of_the_one_that_is_wanted(put: Put) -> None:
    path = put(TWO)
    minutes = [0.0, 1.0, 2.0, 3.0, 4.0]
    assert taken(ChosenFiles(None, split=True), path) == [("ada", minutes), ("bob", minutes)]
    one = ChosenFiles(None, wearer="bob")
    assert taken(one, path) == [("", minutes)]
    assert one.wearers == {"ada", "bob"}
    with pytest.raises(EyelogError, match="several wearers"):
        taken(ChosenFiles(None), path)


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")
def test_a_file_without_records_is_given_empty_unless_a_wearer_is_wanted(put: Put) -> None:
    path = put(NONE)
    assert taken(ChosenFiles(None), path) == [("", [])]
    assert taken(ChosenFiles(None, wearer="ada"), path) == []


def test_a_file_of_another_log_or_device_is_not_read(put: Put) -> None:
    path = put(TWO)
    assert taken(ChosenFiles(None, log="standard_mode_logs"), path) == []
    chosen = ChosenFiles(None, device=chosen_files.Devices("CDC000000001"))
    assert taken(chosen, path) == []
    assert chosen.names == ["log.csv"]


def test_whole_files_of_several_wearers_need_a_choice() -> None:
    several = ChosenFiles(None, owners={"ada", "ben"})
    with pytest.raises(ConfigurationError, match=r"several accounts \(ada, ben\): choose one"):
        several.refuse_several_owners("choose one")
    several.split = True
    several.refuse_several_owners("choose one")


def test_every_file_is_opened_once_whoever_reads_it(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    reading = chosen_files.reading

    def counting(file, **options):
        opened.append(file.name)
        return reading(file, **options)

    monkeypatch.setattr(chosen_files, "reading", counting)
    path = put(TWO)
    import_files(el.Archive(tmp_path / "archive"), [path], split_wearers=True)
    el.read(path, wearer="ada")
    el.read_logger_csv(path, wearer="ada")
    assert opened == [str(path), str(path), path.name]
