"""A state goes from a file into a database with every row, or not at all."""

from collections.abc import Callable
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.accounts import NewAccount
from eyelog_service.audit import FILE_NAME
from eyelog_service.ended import CleanUp
from eyelog_service.grants import Bearer, Registry
from eyelog_service.oauth import take_try
from eyelog_service.state import copy_state
from support.command import main
from support.live import REDIRECT
from support.postgres import PASSWORD, needs_postgres

pytestmark = needs_postgres

Host = Callable[[], Registry]


def in_use(registry: Registry) -> tuple[str, str]:
    """Give a state in a file something of everything; return two tokens."""
    registry.accounts.add_all(
        [NewAccount("ada", "correct horse", "sleep"), NewAccount("Zoë", None, "sleep")],
        {"Zoë": "c0de"},
    )
    client_id, _ = registry.applications.add(REDIRECT, name="Étude")
    code = registry.grants.issue_code("ada", client_id, REDIRECT)
    registry.grants.issue_code("Zoë", client_id, REDIRECT)
    take_try(registry.state, {b"somebody": 5})
    registry.retention.set("sleep", 730)
    registry.signing_key()
    cleaning = CleanUp(registry.state).start_if_due()
    assert cleaning is not None
    cleaning.join()
    return registry.grants.exchange(code, client_id, REDIRECT, None)


def test_every_host_goes_on_with_what_the_file_had(registry: Registry, host: Host) -> None:
    access, refresh = in_use(registry)
    copied = copy_state(registry.state, host().state)
    assert (copied["account"], copied["token"], copied["invitation"]) == (2, 2, 1)
    there = host()
    assert there.accounts.all() == registry.accounts.all()
    assert there.accounts.check_login("ada", "correct horse")
    assert there.accounts.accept_invitation("c0de", "a staple of batteries")
    assert isinstance(there.grants.bearer(access), Bearer)
    [application] = there.applications.all()
    there.grants.refresh(refresh, application.client_id)
    assert there.signing_key() == registry.signing_key()
    assert there.retention.days() == {"sleep": 730}


def test_a_state_that_is_there_stays_and_so_does_the_file(registry: Registry, host: Host) -> None:
    in_use(registry)
    before = registry.state.file.read_bytes()
    host().accounts.add("bea")
    with pytest.raises(
        el.ConfigurationError, match="has the state of a service already: name an em"
    ):
        copy_state(registry.state, host().state)
    assert host().accounts.names() == ["bea"]
    assert registry.accounts.names() == ["Zoë", "ada"]
    assert registry.state.file.read_bytes() == before


def test_what_cannot_be_copied_leaves_an_empty_database(
    registry: Registry, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_use(registry)
    with monkeypatch.context() as damaged:
        damaged.setattr("eyelog_service.state._counted_rows", lambda _: object())
        with pytest.raises(el.ConfigurationError):
            copy_state(registry.state, host().state)
    assert host().accounts.names() == []
    copy_state(registry.state, host().state)
    assert host().accounts.names() == ["Zoë", "ada"]


def test_only_a_file_is_copied_and_only_into_a_database(registry: Registry, host: Host) -> None:
    in_use(registry)
    for one, other in ((host(), registry), (registry, registry), (host(), host())):
        with pytest.raises(
            el.ConfigurationError, match="from a folder into a database, postgresql:"
        ):
            copy_state(one.state, other.state)


def test_the_command_counts_the_rows_and_shows_no_password(
    registry: Registry, address: str, host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    in_use(registry)
    assert main(["service", "copy-state", address, "--archive", str(registry.archive)]) == 0
    done = capsys.readouterr()
    assert "account: 2 rows" in done.out
    assert "every row was read back" in done.err
    log = Path(registry.folder, FILE_NAME).read_text()
    assert '"admin.copy_state"' in log
    assert PASSWORD not in done.out + done.err + log
    assert host().accounts.names() == ["Zoë", "ada"]
