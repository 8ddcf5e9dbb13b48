"""Applications: found by id or name, with a secret that can be replaced at any time."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.grants import Bearer, GrantRefused, Registry
from support.live import REDIRECT


@pytest.mark.parametrize("name", [" a", "a\nb", "\u202e", "x" * 65, "\x1b]0;title\x07"])
def test_a_name_that_could_mislead_a_wearer_is_refused(registry: Registry, name: str) -> None:
    with pytest.raises(el.ConfigurationError, match="cannot be an application's name"):
        registry.applications.add(REDIRECT, name=name)
    assert registry.applications.all() == []


def test_an_application_is_found_by_its_id_or_by_a_name_that_only_it_has(
    registry: Registry,
) -> None:
    first, _ = registry.applications.add(REDIRECT, name="Sleep study")
    assert registry.applications.find("Sleep study").client_id == first
    assert registry.applications.find(first).label == "Sleep study"
    with pytest.raises(el.ConfigurationError, match=r"\(did you mean 'Sleep study'\?\)"):
        registry.applications.find("sleep study")
    with pytest.raises(el.ConfigurationError, match="did you mean"):
        registry.applications.find(first[:-1])
    second, _ = registry.applications.add(REDIRECT, name="Sleep study")
    with pytest.raises(el.ConfigurationError, match="2 applications have the name") as unclear:
        registry.applications.find("Sleep study")
    assert first in str(unclear.value)
    assert second in str(unclear.value)
    registry.applications.add(REDIRECT)
    with pytest.raises(el.ConfigurationError, match="no application has the id or name ''"):
        registry.applications.find("")


def test_a_new_secret_ends_the_old_one_and_leaves_tokens(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    client_id, old = application
    new = registry.applications.rotate_secret(client_id)
    assert registry.applications.check_secret(client_id, new)
    assert not registry.applications.check_secret(client_id, old)
    assert registry.grants.bearer(tokens[0]) == Bearer("ada", client_id)


def test_a_removed_application_has_no_access_any_more(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    client_id, secret = application
    other, _ = registry.applications.add(REDIRECT, name="Other")
    kept, _ = registry.grants.exchange(
        registry.grants.issue_code("ada", other, REDIRECT), other, REDIRECT, None
    )
    waiting = registry.grants.issue_code("ada", client_id, REDIRECT)
    (ended,) = registry.applications.remove(client_id)
    assert (ended.refresh, ended.access) == (1, 1)
    assert not registry.applications.check_secret(client_id, secret)
    assert registry.grants.bearer(tokens[0]) == "the access token is unknown"
    with pytest.raises(GrantRefused):
        registry.grants.exchange(waiting, client_id, REDIRECT, None)
    with pytest.raises(el.ConfigurationError, match="no application has the id"):
        registry.applications.remove(client_id)
    assert registry.grants.bearer(kept) == Bearer("ada", other)


_ROTATE = """
import sys
from eyelog_service.grants import Registry
registry = Registry(sys.argv[1])
print("ready", flush=True)
while True:
    print(registry.applications.rotate_secret(sys.argv[2]), flush=True)
"""


def test_a_kill_while_a_secret_is_replaced_leaves_the_old_or_the_new_one(
    registry: Registry, application: tuple[str, str], tmp_path: Path
) -> None:
    client_id, _ = application
    for delay_s in (0.0, 0.013, 0.029, 0.051):
        program = [sys.executable, "-c", _ROTATE, str(registry.folder), client_id]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as rotating:
            assert rotating.stdout is not None
            assert rotating.stdout.readline() == "ready\n"
            time.sleep(delay_s)
            rotating.kill()
            printed = rotating.stdout.read().split()
        # What was printed before the last one never counts again.
        assert not any(
            registry.applications.check_secret(client_id, secret) for secret in printed[:-1]
        )
        assert registry.state.rows("PRAGMA integrity_check") == [("ok",)]
        assert registry.applications.check_secret(
            client_id, registry.applications.rotate_secret(client_id)
        )
