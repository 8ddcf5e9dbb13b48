"""The registry as a whole: where its state lies, and the key that it keeps."""

import time
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service import grants
from eyelog_service.grants import Registry
from support import live
from support.live import STANDARD
from support.records import records


def test_the_repr_of_a_registry_shows_no_secret(
    registry: Registry, application: tuple[str, str]
) -> None:
    _, secret = application
    assert secret not in repr(registry)


def test_a_state_without_a_key_is_said_in_one_line_and_gets_another(registry: Registry) -> None:
    registry.signing_key()
    with registry.state.write() as db:
        db.exec_driver_sql("DELETE FROM meta WHERE name = 'signing_key'")
    with pytest.raises(el.ConfigurationError, match="no signing key: eyelog service rotate-key"):
        Registry(registry.folder).signing_key()
    registry.rotate_key()
    assert len(Registry(registry.folder).signing_key()) == 32


def test_a_running_service_refuses_cursors_of_the_old_key_and_keeps_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grants, "_KEY_SECONDS", 0.05)
    day = records(STANDARD, "2026-10-24 00:01", 60)
    window = ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z")
    with live.service(tmp_path / "a", {"ada": [day]}, page_size=20) as there:
        token = there.login("ada")["access_token"]
        cursor = there.get(STANDARD, *window, token=token).json()["cursor"]
        assert there.get(STANDARD, *window, token=token, cursor=cursor).status_code == 200
        Registry(there.archive).rotate_key()
        time.sleep(0.06)
        refused = there.get(STANDARD, *window, token=token, cursor=cursor)
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_cursor")
        assert len(there.walk(STANDARD, *window, token=token)) == 3
