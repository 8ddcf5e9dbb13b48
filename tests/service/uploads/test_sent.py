from pathlib import Path

from eyelog.service.auth.registry import Registry
from eyelog.service.erase import erase_account
from eyelog.service.uploads.sent import Sent


def test_a_content_is_known_per_account_from_its_first_upload_on(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    registry.accounts.add("ada")
    sent = Sent(registry.state)
    assert sent.find("ada", b"1" * 32) is None
    sent.note("ada", [(b"1" * 32, 10), (b"2" * 32, 20)], new=7)
    first = sent.find("ada", b"1" * 32)
    assert first is not None
    assert first.new == 7
    sent.note("ada", [(b"1" * 32, 10)], new=0)
    assert sent.find("ada", b"1" * 32) == first
    assert sent.find("bea", b"1" * 32) is None


def test_an_erasure_forgets_what_was_sent(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    registry.accounts.add("ada")
    Sent(registry.state).note("ada", [(b"1" * 32, 10)], new=7)
    found = erase_account(registry, "ada", dry_run=False)
    assert ("state: upload", 1) in [(trace.what, trace.count) for trace in found]
    assert Sent(registry.state).find("ada", b"1" * 32) is None
