"""A real Postgres server on 127.0.0.1, with a database for each test."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest

_FOLDERS = [
    *sorted(Path("/usr/lib/postgresql").glob("*/bin"))[::-1],
    *map(Path, os.get_exec_path()),
]
_BIN = next((folder for folder in _FOLDERS if (folder / "initdb").exists()), None)
needs_postgres = pytest.mark.skipif(
    _BIN is None, reason="Postgres is not installed (in Debian: postgresql)"
)
PASSWORD = "not-for-the-log"


@dataclass
class Postgres:
    """A server that can be stopped and started again."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        assert _BIN is not None
        self.process = subprocess.Popen(
            [
                *(_BIN / "postgres", "-D", self.folder / "data", "-k", self.folder),
                *("-p", str(self.port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **_user(),
        )
        deadline = time.monotonic() + 60
        while True:
            assert self.process.poll() is None, "Postgres did not start"
            assert time.monotonic() < deadline, "Postgres did not start in time"
            with suppress(psycopg.OperationalError), closing(self.connect()):
                return
            time.sleep(0.05)

    def stop(self) -> None:
        """End all connections and the server."""
        if self.process is not None:
            self.process.send_signal(2)  # what Postgres calls a fast shutdown
            self.process.wait(timeout=60)
            self.process = None

    def run(self, tool: str, *arguments: str) -> None:
        """Run a program of Postgres as the administrator."""
        assert _BIN is not None
        where = {"PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGUSER": "postgres"}
        environment = {**os.environ, **where, "PGPASSWORD": PASSWORD}
        subprocess.run([_BIN / tool, *arguments], env=environment, check=True)

    def connect(self, database: str = "postgres") -> "psycopg.Connection[Any]":
        """Connect as the administrator."""
        address = f"postgresql://postgres:{PASSWORD}@127.0.0.1:{self.port}/{database}"
        return psycopg.connect(address, autocommit=True, connect_timeout=5)

    def database(self) -> str:
        """Create an empty database of the user eyelog; return its address, with the password."""
        name = f"state_{secrets.token_hex(4)}"
        with closing(self.connect()) as db:
            db.execute(f"CREATE DATABASE {name} OWNER eyelog".encode())
        return f"postgresql://eyelog:{PASSWORD}@127.0.0.1:{self.port}/{name}"


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Run a server until the end of the block."""
    assert _BIN is not None
    with (
        TemporaryDirectory(prefix="eyelog-postgres-") as name,
        socket.create_server(("127.0.0.1", 0)) as free,
    ):
        folder = Path(name)
        port = free.getsockname()[1]
        (folder / "password").write_text(PASSWORD)
        if "user" in _user():  # Postgres does not run as root
            for path in (folder, folder / "password"):
                shutil.chown(path, "postgres", "postgres")
        subprocess.run(
            [
                *(_BIN / "initdb", "-D", folder / "data", "-U", "postgres", "--no-sync"),
                *("-E", "UTF8", "--locale=C", "--auth=scram-sha-256"),
                f"--pwfile={folder / 'password'}",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            **_user(),
        )
        free.close()
        server = Postgres(folder, port)
        try:
            server.start()
            with closing(server.connect()) as db:
                db.execute(f"CREATE ROLE eyelog LOGIN PASSWORD '{PASSWORD}'".encode())
            yield server
        finally:
            server.stop()


def _user() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    return {"user": "postgres", "group": "postgres", "extra_groups": [], "cwd": "/"}
