"""A service whose archive is in an object store: served, uploaded to, erased, and its faults."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
import requests
from fsspec.core import url_to_fs

import eyelog as el
from eyelog_service import uploads
from support import live
from support.account_page import Visitor
from support.command import main
from support.live import REDIRECT, Live
from support.login_page import PASSWORD
from support.logs import LOGS
from support.operating import Operator
from support.records import records
from support.stores import object_store

pytestmark = pytest.mark.slow(
    "an object store and a service are started"
)  # the store is a server of its own, and needs the extra for S3

FIFTEEN, SIXTY = LOGS
DAY = {"date_from": "2026-10-24T00:00:00Z", "date_to": "2026-10-24T23:59:59Z"}


@pytest.fixture
def bucket() -> Iterator[str]:
    with object_store() as url:
        yield url


@pytest.fixture
def operator(bucket: str, tmp_path: Path) -> Operator:
    """Who runs a service of Ada's records, which are in the bucket."""
    made = Operator(bucket, tmp_path / "state")
    made.add("ada", password=PASSWORD)
    return made


def minute(number: int) -> str:
    return f"date,wea_s,nis_s,bl\n2026-10-24T09:{number:02}:00+00:00,60,0,80\n"


def post(url: str, token: str, text: str) -> requests.Response:
    return requests.post(
        f"{url}/v1/records?tz=UTC&name=logger.csv",
        data=text.encode(),
        headers={"Authorization": f"Bearer {token}"},
        timeout=120,
    )


def reading_token(url: str, operator: Operator) -> str:
    application = operator.application(REDIRECT)
    there = Live(url, Path(), *application)
    code = operator.code("ada", there.client_id, REDIRECT)
    return str(there.exchange(code).json()["access_token"])


def day(url: str, token: str) -> list[str]:
    answer = requests.get(
        f"{url}/v2/users/me/official/{SIXTY}",
        params=DAY,
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return [record["date"] for hour in answer.json()[SIXTY].values() for record in hour]


def test_records_that_are_sent_are_in_the_bucket_and_are_served(
    bucket: str, operator: Operator, tmp_path: Path
) -> None:
    upload = operator("upload-token", "ada").strip()
    with live.running(bucket, state=tmp_path / "state") as url:
        reading = reading_token(url, operator)
        assert day(url, reading) == []
        first = post(url, upload, minute(1))
        assert (first.status_code, first.json()["new"]) == (200, 1)
        assert len(day(url, reading)) == 1
        again = post(url, upload, minute(1)).json()
        assert again["new"] == 0
        assert post(url, upload, "no log\n").status_code == 422
        assert post(url, upload, minute(2)).json()["new"] == 1
        assert len(day(url, reading)) == 2
        health = requests.get(f"{url}/health", timeout=60)
        assert (health.status_code, health.json()["archive"]) == (200, "ok")
        assert 0 <= health.json()["seconds_since_last_write"] < 120
    archive = el.Archive(bucket)
    assert len(archive.read(SIXTY, account="ada", tz="UTC")) == 2
    assert archive.verify().empty
    assert not list((tmp_path / "state" / ".uploads").glob("account=*/*"))


def test_what_is_sent_at_the_same_time_is_all_there(
    bucket: str, operator: Operator, tmp_path: Path
) -> None:
    token = operator("upload-token", "ada").strip()
    with (  # two processes would do the same: the lock is of the state's folder
        live.running(bucket, state=tmp_path / "state") as one,
        live.running(bucket, state=tmp_path / "state") as other,
        ThreadPoolExecutor(4) as at_once,
    ):
        answers = list(
            at_once.map(lambda n: post(one if n % 2 else other, token, minute(n)), range(4))
        )
    assert [answer.json()["new"] for answer in answers] == [1] * 4
    assert len(el.Archive(bucket).read(SIXTY, account="ada", tz="UTC")) == 4


def test_a_wearer_sees_downloads_and_deletes_what_is_in_the_bucket(
    bucket: str, operator: Operator, tmp_path: Path, patient: None
) -> None:
    el.Archive(bucket).write(SIXTY, records(SIXTY, "2026-10-24", 1440), account="ada")
    with live.running(bucket, state=tmp_path / "state") as url:
        visitor = Visitor(Live(url, tmp_path, "", ""))
        page = visitor.log_in()
        packed = visitor.send(page, "download")
        with ZipFile(BytesIO(packed.content)) as box:
            assert box.namelist() == [f"{SIXTY}-2026-10.csv"]
        report = visitor.send(page, "report")
        assert report.headers["Content-Type"].startswith("text/html")
        assert b"<svg" in report.content or b"<img" in report.content
        gone = visitor.send(visitor.open(), "delete", password=PASSWORD)
        assert gone.status_code == 200
    assert el.Archive(bucket).accounts() == []


def test_an_operator_checks_backs_up_and_erases(
    bucket: str, operator: Operator, tmp_path: Path
) -> None:
    el.Archive(bucket).write(SIXTY, records(SIXTY, "2026-10-24", 30), account="ada")
    operator.add("bea")
    found = operator.findings()
    assert found["archive"][1].startswith(f"{bucket}, records of 1 account")
    assert found["setting archive"][1] == f"{bucket} (--archive)"
    done = operator.run("backup", tmp_path / "copy")
    assert (done.code, f"The archive {bucket} is not in it" in done.err) == (0, True)
    assert not any((tmp_path / "copy" / "archive").iterdir())
    operator("erase", "ada")
    assert el.Archive(bucket).accounts() == []
    operator("restore", tmp_path / "copy")
    # The end is noted in the bucket, where putting back the state cannot lose it.
    assert "1 account removed since" in operator.findings()["ended before"][1]
    operator("after-restore")
    assert operator.accounts() == ["bea"]


def test_months_of_a_bucket_that_are_old_are_pruned(bucket: str, operator: Operator) -> None:
    for first in ("2020-03-01", "2026-10-24"):
        el.Archive(bucket).write(SIXTY, records(SIXTY, first, 30), account="ada")
    operator("prune", "--older-than", "730d")
    assert el.Archive(bucket).read(SIXTY, account="ada", tz="UTC").index[0].year == 2026


def test_a_bucket_that_does_not_exist_is_named_in_one_line(
    bucket: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    operator = Operator("s3://weavers/archive", tmp_path / "state")
    assert main(["serve", *operator.places, "--port", "0"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("eyelog: error: cannot use the archive s3://weavers/archive (is the bu")
    assert line.endswith("bucket does not exist")
    operator.add("ada")
    assert operator.findings()["archive"][0] == "wrong"


def test_a_store_that_does_not_answer_leaves_the_other_findings(
    bucket: str, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise PermissionError("Access denied")

    for name in ("ls", "info", "exists", "find", "cat_file"):
        monkeypatch.setattr(url_to_fs(bucket)[0], name, gone)
    found = operator.findings()
    for check in ("archive", "retention", "ended before"):
        assert found[check][0] == "wrong"
    for check in ("accounts", "integrity", "applications"):
        assert found[check][0] == "ok"


def test_missing_credentials_are_named_in_one_line(bucket: str, tmp_path: Path) -> None:
    without = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    without |= {
        "AWS_ENDPOINT_URL": os.environ["AWS_ENDPOINT_URL"],
        "AWS_EC2_METADATA_DISABLED": "true",
        "HOME": str(tmp_path),
    }
    command = ["serve", "--archive", bucket, "--state", str(tmp_path / "state"), "--port", "0"]
    done = subprocess.run(
        [sys.executable, "-m", "eyelog", *command],
        env=without,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert f"cannot use the archive {bucket} " in line
    assert "credentials" in line.rpartition(": ")[2].lower()


def test_a_store_that_is_gone_makes_the_service_unhealthy_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with object_store() as url:
        operator = Operator(url, tmp_path / "state")
        operator.add("ada")
        upload = operator("upload-token", "ada").strip()
        with live.running(url, state=tmp_path / "state") as address:
            token = reading_token(address, operator)
            assert day(address, token) == []

            def gone(*_: object, **__: object) -> None:
                asked = "http://there/wearers?prefix=log%3Da%2Faccount%3Dada"
                raise PermissionError(f"The AWS Access Key Id you provided does not exist: {asked}")

            store = url_to_fs(url)[0]
            for name in ("ls", "info", "exists", "find"):
                monkeypatch.setattr(store, name, gone)
            health = requests.get(f"{address}/health", timeout=60)
            assert health.status_code == 503
            assert health.json()["error_description"] == "cannot be read: the archive"
            asked = requests.get(
                f"{address}/v2/users/me/official/{SIXTY}",
                params=DAY,
                headers={"Authorization": f"Bearer {token}"},
                timeout=60,
            )
            for answer in (asked, post(address, upload, minute(1))):
                assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
                assert answer.json()["error"] == "temporarily_unavailable"
                assert answer.json()["error_description"].startswith("the archive cannot be used")
            said = r"cannot use the archive .*Key Id you provided"
            with (
                pytest.raises(el.ArchiveError, match=said),
                live.running(url, state=tmp_path / "state"),
            ):
                pass
    logged = [record for record in caplog.records if record.name == "eyelog.service"]
    assert len(logged) == 2
    for record in logged:
        assert "The AWS Access Key Id you provided does not exist" in record.getMessage()
        assert "ada" not in record.getMessage()
        assert record.exc_info is None


def test_a_store_that_fails_when_room_is_looked_for_is_no_traceback(
    bucket: str, operator: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = operator("upload-token", "ada").strip()

    def gone(*_: object) -> int:
        raise PermissionError("Access denied")

    monkeypatch.setattr(uploads, "bytes_of_account", gone)
    with live.running(bucket, state=tmp_path / "state", quota=10**9) as url:
        assert post(url, upload, minute(1)).status_code == 503
