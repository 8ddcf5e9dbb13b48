"""The address that a phone is told, its QR code, and the certificate behind it."""

import pytest

from eyelog_service.live import address_of, is_this_machine, qr_code


def test_a_server_at_all_addresses_is_shown_at_one_that_a_phone_can_call() -> None:
    for host in ("0.0.0.0", "::", ""):
        address = address_of(host, 5000)
        assert address.startswith("ws://")
        assert "0.0.0.0" not in address
        assert "[::]" not in address


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.0.0.9", True),
        ("::1", True),
        ("192.168.0.1", False),
        ("my.host", False),
    ],
)
def test_loopback_is_this_machine(host: str, own: bool) -> None:
    assert is_this_machine(host) is own


def test_the_qr_code_is_square_text_with_a_margin() -> None:
    rows = qr_code("ws://192.168.0.1:5000").rstrip("\n").split("\n")
    assert {len(row) for row in rows} == {33}  # version 2 has 25 modules, and four around them
    assert len(rows) == 17  # two modules a row
    assert qr_code("ws://192.168.0.1:5000") != qr_code("ws://192.168.0.1:5001")


def test_a_terminal_without_blocks_gets_no_code() -> None:
    assert qr_code("ws://127.0.0.1:5000", encoding="ascii") == ""
    assert qr_code("ws://127.0.0.1:5000", encoding=None) == ""
