"""An object store on 127.0.0.1, as a service of Amazon would be."""

import atexit
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from unittest.mock import patch

import fsspec
import requests


@cache
def _port() -> int:
    """Return the port of a store that is served until the tests end."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(server.kill)
    for _ in range(300):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            break
        time.sleep(0.1)
    return port


@contextmanager
def object_store() -> Iterator[str]:
    """Give the URL of a folder in an empty bucket."""
    url = f"http://127.0.0.1:{_port()}"
    settings = {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "made-up",
        "AWS_SECRET_ACCESS_KEY": "made-up-too",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    requests.post(f"{url}/moto-api/reset", timeout=60).raise_for_status()
    with patch.dict(os.environ, settings):
        # An instance of an earlier test has what it listed then.
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        fsspec.filesystem("s3", skip_instance_cache=True).mkdir("wearers")
        yield "s3://wearers/archive"
    fsspec.get_filesystem_class("s3").clear_instance_cache()
