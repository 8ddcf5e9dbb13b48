"""The parts of an application: its own, whatever else runs in the process."""

from pathlib import Path

from starlette.requests import Request

from eyelog.service.app import create_app
from eyelog.service.parts import parts_of


def test_two_services_in_one_process_share_no_part(tmp_path: Path) -> None:
    folders = tmp_path / "one", tmp_path / "other"
    for folder in folders:
        folder.mkdir()
    of_one, of_other = (
        parts_of(Request({"type": "http", "app": create_app(folder)})) for folder in folders
    )
    assert of_one.registry.folder == folders[0]
    assert of_other.registry.folder == folders[1]
    assert of_one.password_tries is not of_other.password_tries
    assert of_one.pages_at_once is not of_other.pages_at_once
