"""Where the state is: a folder, or a database that is named without its password."""

import re
import sys
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.grants import Registry
from eyelog_service.state import State, has_password, is_database, shown_database


def test_a_remote_archive_needs_a_local_folder_for_the_state(tmp_path: Path) -> None:
    with pytest.raises(
        el.ConfigurationError, match="name one for the service's state with --state"
    ):
        Registry("s3://bucket/archive")
    registry = Registry("s3://bucket/archive", tmp_path / "state")
    assert registry.archive == "s3://bucket/archive"
    assert registry.folder == registry.state_folder == tmp_path / "state"


def test_a_state_in_the_archive_is_not_left_behind_unnoticed(tmp_path: Path) -> None:
    Registry(tmp_path / "archive").accounts.add("ada")
    with pytest.raises(
        el.ConfigurationError, match="stop the service and move the state"
    ) as refused:
        Registry(tmp_path / "archive", tmp_path / "state")
    assert f"mv {tmp_path}/archive/_service.* {tmp_path}/state/" in str(refused.value)
    for apart in (tmp_path / "archive", None):
        assert Registry(tmp_path / "archive", apart).accounts.names() == ["ada"]


@pytest.mark.parametrize(
    ("address", "shown", "secret"),
    [
        ("postgresql://db/eyelog", "postgresql://db/eyelog", False),
        ("postgres://ada@db:5433/eyelog", "postgres://ada@db:5433/eyelog", False),
        ("postgresql://ada:Pa55@db/eyelog", "postgresql://ada@db/eyelog", True),
        ("postgresql://ada:Pa%2F55@db/e?sslmode=require", "postgresql://ada@db/e", True),
        ("postgresql://db/eyelog?user=ada&password=Pa55", "postgresql://db/eyelog", True),
        ("postgresql:///eyelog?host=/run/postgresql", "postgresql:///eyelog", False),
        # Whatever cannot be read may be a password.
        ("postgresql://ada:Pa/55@db/eyelog", "postgresql://...", True),
        ("postgresql://ada:Pa@55@db/eyelog", "postgresql://...", True),
        ("postgresql://ada:Pa?55@db/eyelog", "postgresql://...", True),
        ("postgresql://ada:Pa#55@db/eyelog", "postgresql://...", True),
        ("postgresql://db/eyelog?password=Pa@55", "postgresql://...", True),
        ("postgresql://ada:Pa55@db", "postgresql://...", True),
    ],
)
def test_the_address_of_a_database_is_shown_without_its_password(
    address: str, shown: str, secret: bool
) -> None:
    assert is_database(address)
    assert (shown_database(address), has_password(address)) == (shown, secret)


def test_an_address_that_cannot_be_read_is_refused_without_quoting_it(tmp_path: Path) -> None:
    for address in (
        "postgresql://ada:Pa/55@db/eyelog",
        "postgresql://ada:Pa55@db/eyelog?no-such-option=Pa55",
        "postgresql://ada:Pa55@db:%zz/eyelog",
    ):
        with pytest.raises(el.ConfigurationError, match="cannot be read: write it as") as refused:
            State(tmp_path, address, tmp_path)
        assert "55" not in str(refused.value)
        assert refused.value.__cause__ is None


def test_a_database_of_another_kind_is_refused_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(
        el.ConfigurationError, match=r"not 'mysql://\.\.\.'; several hosts"
    ) as refused:
        State(tmp_path, "mysql://ada:Pa55@db/eyelog")
    assert "Pa55" not in str(refused.value)


def test_a_database_and_the_folder_of_this_host_go_together(tmp_path: Path) -> None:
    database = "postgresql://db/eyelog"
    with pytest.raises(el.ConfigurationError, match="name one for what comes in and"):
        State("s3://bucket/archive", database)
    with pytest.raises(
        el.ConfigurationError, match="--local is the folder of a host whose state is"
    ):
        State(tmp_path, tmp_path / "state", tmp_path / "local")
    (tmp_path / "file").touch()
    with pytest.raises(el.ConfigurationError, match="is not a folder: --local takes one"):
        State(tmp_path, database, tmp_path / "file")
    apart = State("s3://bucket/archive", database, tmp_path / "local")
    assert apart.folder == apart.beside == tmp_path / "local"
    assert (apart.in_database, apart.name) == (True, database)
    beside = State(tmp_path / "archive", database)
    assert beside.folder == beside.beside == tmp_path / "archive"


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(el.ConfigurationError, match=re.escape("pip install 'eyelog[postgres]'")):
        State(tmp_path, "postgresql://db/eyelog")
