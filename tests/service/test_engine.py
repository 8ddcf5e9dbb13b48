"""The server under the application: where it listens, and what it says about it."""

import asyncio
import errno
import os
import socket
from contextlib import closing, suppress

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.engine import _Reserve, address, bind


def test_a_port_of_the_system_s_choice_is_part_of_the_address() -> None:
    with bind("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert address(listening) == f"http://127.0.0.1:{port}"
        socket.create_connection(("127.0.0.1", port), timeout=5).close()


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_an_address_of_ipv6_stands_in_brackets() -> None:
    try:
        listening = bind("::1", 0)
    except ConfigurationError:
        pytest.skip("this machine has no IPv6 on loopback")
    with listening:
        assert address(listening) == f"http://[::1]:{listening.getsockname()[1]}"


def test_an_address_in_use_is_reported_with_what_to_type() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match="choose another --host or --port"):
            bind("127.0.0.1", port)


class Loop(asyncio.SelectorEventLoop):
    """A loop that remembers what nobody else has handled."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[dict[str, object]] = []

    def default_exception_handler(self, context: dict[str, object]) -> None:
        self.left.append(context)


def test_connections_for_which_no_descriptor_is_left_are_refused_not_kept_waiting() -> None:
    with bind("127.0.0.1", 0) as listening, closing(Loop()) as loop:
        listening.setblocking(False)
        reserve = _Reserve([listening])
        for _ in range(2):  # the reserve is made anew each time
            waiting = [socket.create_connection(listening.getsockname()) for _ in range(3)]
            reserve.handle(loop, {"exception": OSError(errno.EMFILE, "too many")})
            for each in waiting:
                each.settimeout(5)
                with each, suppress(ConnectionResetError):
                    assert each.recv(1) == b""
            assert reserve._spare >= 0
        assert loop.left == []
        os.close(reserve._spare)


def test_other_faults_of_the_loop_are_reported_as_ever() -> None:
    with bind("127.0.0.1", 0) as listening, closing(Loop()) as loop:
        listening.setblocking(False)
        reserve = _Reserve([listening])
        with socket.create_connection(listening.getsockname()) as waiting:
            faults = [{"exception": OSError(errno.ECONNABORTED, "gone")}, {"message": "no error"}]
            for fault in faults:
                reserve.handle(loop, fault)
            assert loop.left == faults
            waiting.settimeout(0.1)
            with pytest.raises(TimeoutError):
                waiting.recv(1)  # it waits on
        os.close(reserve._spare)
