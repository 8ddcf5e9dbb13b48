"""A message becomes a line with the receiver's stamp, or is malformed, and never anything else."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog_service.live import MalformedMessage, Messages
from support.livesocket import packet

NOON = datetime(2026, 10, 19, 12, 0, 0, 250_000, tzinfo=UTC)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_line_ends_within_a_value_do_not_end_the_line() -> None:
    taken = Messages().take(b'{"place": {"x": 1,\r\n "y": [2,\n 3]}}')
    assert taken is not None
    assert taken.line.count(b"\n") == 1
    assert json.loads(taken.line)["place"] == {"x": 1, "y": [2, 3]}


def test_a_stamp_of_the_sender_does_not_pass_for_the_receivers() -> None:
    sent = json.dumps({"received": "2001-01-01T00:00:00Z", **packet(1)}).encode()
    taken = Messages(lambda: NOON).take(sent)
    assert taken is not None
    assert b"2001" not in taken.line
    assert "received" not in taken.values


def test_a_sender_of_ever_new_keys_ends_in_malformed_messages() -> None:
    messages = Messages()
    for number in range(1_000):
        assert messages.take(json.dumps({f"key{number}": 1}).encode()) is not None
    with pytest.raises(MalformedMessage, match="too many different"):
        messages.take(b'{"key1000": 1}')
    with pytest.raises(MalformedMessage, match="too many different"):
        Messages().take(json.dumps({f"key{number}": 1 for number in range(1_000)}).encode())
    assert messages.take(b'{"key7": 1}') is not None


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_is_sent_becomes_one_line_of_the_same_values_or_is_malformed(data: bytes) -> None:
    try:
        taken = Messages(lambda: NOON).take(data)
    except MalformedMessage:
        return
    if taken is None:
        return
    assert taken.line.count(b"\n") == 1
    written = json.loads(taken.line)
    assert written.pop("received") == NOON.isoformat()
    assert list(written) == list(taken.values)
    assert {**json.loads(data), "received": 0} == {**written, "received": 0}
