"""An object store on 127.0.0.1, as a service of Amazon would be."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from unittest.mock import patch

import fsspec


@contextmanager
def object_store() -> Iterator[str]:
    """Serve a store with an empty bucket; give the URL of a folder in it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    settings = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "made-up",
        "AWS_SECRET_ACCESS_KEY": "made-up-too",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        with patch.dict(os.environ, settings):
            # An instance of an earlier test would ask the store of that test.
            fsspec.get_filesystem_class("s3").clear_instance_cache()
            fsspec.filesystem("s3", skip_instance_cache=True).mkdir("wearers")
            yield "s3://wearers/archive"
    finally:
        server.terminate()
        server.wait()
        fsspec.get_filesystem_class("s3").clear_instance_cache()
