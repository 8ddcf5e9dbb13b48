"""The server under the application: where it listens, and what it says about it."""

import socket

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.engine import address, bind


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
