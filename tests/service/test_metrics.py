"""Metrics: what was counted by all processes, without names, and never on the public address."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import Message, Receive, Scope, Send

from eyelog.errors import ConfigurationError
from eyelog.service.auth.registry import Registry
from eyelog.service.metrics import Counted, NoMetrics, exported
from support import live
from support.account_page import Visitor
from support.records import records
from support.uploads import SIXTY, csv


def value(text: str, name: str, **labels: str) -> float:
    """Return the sum of the samples of a name that have all these labels."""
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


@contextmanager
def serving(folder: Path, workers: int) -> Iterator[tuple[live.Live, str, subprocess.Popen[str]]]:
    """Serve in a process of its own; give what a client knows, and the address of the metrics."""
    frame = records(SIXTY, "2026-10-24 00:01", 60)
    registry, client_id, secret = live.make(
        folder, {"ada": [frame], "bea": []}, password="correct horse"
    )
    command = [sys.executable, "-W", "error", "-m", "eyelog", "serve", "--archive", str(folder)]
    command += ["--port", "0", "--workers", str(workers), "--metrics-port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            url = process.stderr.readline().strip()
            metrics = process.stderr.readline().strip().removeprefix("metrics: ")
            assert metrics.startswith("http://127.0.0.1:"), metrics + process.stderr.read()
            yield live.Live(url, folder, registry, client_id, secret), metrics, process
        finally:
            process.terminate()
            process.wait(20)


def scraped(address: str) -> str:
    answer = requests.get(address, timeout=30)
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    return answer.text


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_event_of_every_process_is_counted_and_none_has_a_name(
    tmp_path: Path, workers: int
) -> None:
    with serving(tmp_path / "archive", workers) as (there, metrics, _):
        tokens = there.login("ada")
        for _ in range(10):  # each on a connection of its own, so that all workers have some
            requests.get(f"{there.url}/version", timeout=30)
        requests.get(f"{there.url}/a/strangers/path", timeout=30)
        requests.request("BREW", f"{there.url}/version", timeout=30)
        visitor = Visitor(there)
        wrong = {"name": "ada", "password": "wrong password"}
        assert visitor.send(visitor.open(), "log-in", **wrong).status_code == 400
        visitor.log_in()
        upload = there.registry.grants.issue_upload_token("bea")
        headers = {"Authorization": f"Bearer {upload}"}
        sent = requests.post(f"{there.url}/v1/records", data=csv(), headers=headers, timeout=60)
        assert sent.status_code == 200, sent.text
        text = scraped(metrics)
        assert requests.get(f"{there.url}/metrics", timeout=30).status_code == 404
    assert value(text, "eyelog_requests_total", path="/version", method="GET", status="200") == 10
    assert value(text, "eyelog_requests_total", path="other", status="404") == 1
    assert value(text, "eyelog_requests_total", method="other") == 1
    assert value(text, "eyelog_request_seconds_count", path="/v1/records") == 1
    assert 0 < value(text, "eyelog_request_seconds_sum", path="/v1/records") < 60
    assert value(text, "eyelog_tokens_issued_total") == 1
    assert (value(text, "eyelog_logins_total"), value(text, "eyelog_logins_refused_total")) == (
        1,
        1,
    )
    assert (value(text, "eyelog_uploads_total"), value(text, "eyelog_rows_total")) == (1, 60)
    kinds = {kind: value(text, "eyelog_tokens", kind=kind) for kind in ("access", "refresh")}
    assert kinds == {"access": 1, "refresh": 1}
    months = (tmp_path / "archive").glob("log=*/account=*/month=*/*.parquet")
    assert value(text, "eyelog_archive_bytes") == sum(file.stat().st_size for file in months)
    assert value(text, "eyelog_free_bytes", of="state") > 0
    assert value(text, "eyelog_accounts_by_last_import", within="1d") == 2
    for secret in ("ada", "bea", there.client_id, tokens["access_token"], "strangers"):
        assert secret not in text


def test_accounts_are_counted_by_the_age_of_what_they_sent(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    frame = records(SIXTY, "2026-10-24 00:01", 60)
    wearers = {name: [frame] for name in ("ada", "bea", "cyd", "dan")} | {"eve": []}
    registry, *_ = live.make(archive, wearers)
    for days, name in ((2, "bea"), (20, "cyd"), (90, "dan")):
        (file,) = archive.glob(f"log=*/account={name}/month=*/*.parquet")
        at = file.stat().st_mtime - days * 86400
        os.utime(file, (at, at))
    with exported(registry, 0) as address:
        text = scraped(address)
    ages = ("1d", "7d", "30d", "longer", "never")
    found = [value(text, "eyelog_accounts_by_last_import", within=age) for age in ages]
    assert found == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_metrics_are_on_no_other_address_of_the_machine(tmp_path: Path, workers: int) -> None:
    with serving(tmp_path / "archive", workers) as (_, metrics, process):
        port = int(metrics.rpartition(":")[2].partition("/")[0])
        found = {
            connection.laddr.ip
            for connection in psutil.Process(process.pid).net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
        }
    assert found == {"127.0.0.1"}


@pytest.mark.slow
def test_the_counts_of_a_worker_that_died_stay(tmp_path: Path) -> None:
    with serving(tmp_path / "archive", 2) as (there, metrics, process):
        for _ in range(6):
            requests.get(f"{there.url}/version", timeout=30)
        for worker in psutil.Process(process.pid).children():
            worker.kill()
            worker.wait(20)
        for _ in range(4):
            requests.get(f"{there.url}/version", timeout=30)
        assert value(scraped(metrics), "eyelog_requests_total", path="/version") == 10


def test_an_answer_is_counted_before_its_last_part_is_sent() -> None:
    class Counts(NoMetrics):
        def answered(self, method: str, path: str, status: int | None, _: float) -> None:
            happened.append((method, path, status))

    happened: list[object] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await send({"type": "http.response.body", "body": b"b"})

    async def receive() -> Message:
        raise AssertionError("nothing is received")

    async def send(message: Message) -> None:
        happened.append(message.get("body", message["type"]))

    asyncio.run(Counted(app, Counts())({"type": "http", "method": "GET"}, receive, send))
    assert happened == ["http.response.start", b"a", ("GET", "other", 200), b"b"]


def test_a_port_in_use_is_an_error_that_names_the_option(tmp_path: Path) -> None:
    registry, *_ = live.make(tmp_path / "archive", {"ada": []})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(ConfigurationError, match=f"port {port}: .* another --metrics-port"),
            exported(registry, port),
        ):
            pass


def test_without_the_extra_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyelog.service.metrics.find_spec", lambda _: None)
    with (
        pytest.raises(ConfigurationError, match=r"pip install 'eyelog\[metrics\]'"),
        exported(Registry(tmp_path), 0),
    ):
        pass
