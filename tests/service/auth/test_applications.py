"""Applications: found by id or name, with a secret that can be replaced at any time."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.auth.registry import Bearer, GrantRefused, Registry
from support.live import REDIRECT


def test_an_application_keeps_its_name_and_when_it_was_added(registry: Registry) -> None:
    client_id, _ = registry.add_application(REDIRECT, name="Sleep study")
    found = registry.application(client_id)
    assert found is not None
    assert (found.name, found.label, found.redirect_uri) == ("Sleep study",) * 2 + (REDIRECT,)
    assert 0 <= time.time() - (found.added or 0) < 60
    assert registry.application("unknown") is None


@pytest.mark.parametrize("name", [" a", "a\nb", "\u202e", "x" * 65, "\x1b]0;title\x07"])
def test_a_name_that_could_mislead_a_wearer_is_refused(registry: Registry, name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be an application's name"):
        registry.add_application(REDIRECT, name=name)
    assert registry.applications() == []


def test_an_application_is_found_by_its_id_or_by_a_name_that_only_it_has(
    registry: Registry,
) -> None:
    first, _ = registry.add_application(REDIRECT, name="Sleep study")
    assert registry.find_application("Sleep study").client_id == first
    assert registry.find_application(first).label == "Sleep study"
    with pytest.raises(ConfigurationError, match=r"\(did you mean 'Sleep study'\?\)"):
        registry.find_application("sleep study")
    with pytest.raises(ConfigurationError, match="did you mean"):
        registry.find_application(first[:-1])
    second, _ = registry.add_application(REDIRECT, name="Sleep study")
    with pytest.raises(ConfigurationError, match="2 applications have the name") as unclear:
        registry.find_application("Sleep study")
    assert first in str(unclear.value)
    assert second in str(unclear.value)
    registry.add_application(REDIRECT)
    with pytest.raises(ConfigurationError, match="no application has the id or name ''"):
        registry.find_application("")


def test_a_new_secret_ends_the_old_one_and_leaves_tokens(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    client_id, old = application
    new = registry.rotate_secret(client_id)
    assert registry.check_secret(client_id, new)
    assert not registry.check_secret(client_id, old)
    assert registry.bearer(tokens[0]) == Bearer("ada", client_id)


def test_a_removed_application_has_no_access_any_more(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    client_id, secret = application
    other, _ = registry.add_application(REDIRECT, name="Other")
    kept, _ = registry.exchange(registry.issue_code("ada", other, REDIRECT), other, REDIRECT, None)
    waiting = registry.issue_code("ada", client_id, REDIRECT)
    (ended,) = registry.remove_application(client_id)
    assert (ended.refresh, ended.access) == (1, 1)
    assert not registry.check_secret(client_id, secret)
    assert registry.bearer(tokens[0]) == "the access token is unknown"
    with pytest.raises(GrantRefused):
        registry.exchange(waiting, client_id, REDIRECT, None)
    with pytest.raises(ConfigurationError, match="no application has the id"):
        registry.remove_application(client_id)
    assert registry.bearer(kept) == Bearer("ada", other)


_ROTATE = """
import sys
from eyelog.service.auth.registry import Registry
registry = Registry(sys.argv[1])
print("ready", flush=True)
while True:
    print(registry.rotate_secret(sys.argv[2]), flush=True)
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
        assert not any(registry.check_secret(client_id, secret) for secret in printed[:-1])
        assert registry.state.rows("PRAGMA integrity_check") == [("ok",)]
        assert registry.check_secret(client_id, registry.rotate_secret(client_id))
