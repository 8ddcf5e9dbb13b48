"""POST /v1/records, with real sockets and real files."""

import errno
import gzip
import io
import json
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import requests

import eyelog as el
from eyelog.archive.intake import import_files
from support import live
from support.answers import encode_answer
from support.loggerfiles import zipped
from support.records import records
from support.uploads import FIFTEEN, SIXTY, csv, frame, spooled, stored

Post = Callable[..., requests.Response]
FORM = {"Content-Type": "multipart/form-data; boundary=edge"}
WORN = {"wea_s": 60.0, "nis_s": 0.0}


def refusal(answer: requests.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def bearer(there: live.Live, account: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {there.registry.grants.issue_upload_token(account)}"}


@pytest.mark.usefixtures("in_processes")
@pytest.mark.parametrize("packed", [False, True])  # a packed one is imported in a process apart
def test_a_csv_comes_into_the_account_of_the_token(
    there: live.Live, post: Post, packed: bool
) -> None:
    body = gzip.compress(csv()) if packed else csv()
    answer = post(body, params={"name": "day.csv"})
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "files": [{"name": "day.csv", "read": 60, "new": 60, "left_out": 0, "conflicts": []}],
        "new": 60,
    }
    sent = records(SIXTY, "2026-10-24 00:01", 60).tz_convert("UTC")
    pd.testing.assert_frame_equal(frame(there), sent, check_freq=False)
    assert stored(there, "bea") == {}
    assert spooled(there) == []
    refused = post(gzip.compress(b"no log\n1\n") if packed else b"no log\n1\n")
    assert refusal(refused) == (422, "not_records")


def test_a_form_a_zip_and_a_saved_answer_come_in_as_well(there: live.Live, post: Post) -> None:
    answers = encode_answer(records(FIFTEEN, "2026-10-24 00:00:15", 40), FIFTEEN)
    box = zipped({"a.csv": csv(), "b.csv": csv(start="2026-11-01 00:01")})
    long = csv(FIFTEEN, "2026-09-01 00:00:15", 4000)  # more than is written at once
    files = [
        ("box.zip", box),
        ("day.json", answers),
        ("long.csv", long),
        ("last.csv", csv(start="2026-09-01 00:01", n=1)),
    ]
    answer = post(files=[("file", file) for file in files])
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert [(each["name"], each["new"]) for each in found["files"]] == [
        ("box.zip: a.csv", 60), ("box.zip: b.csv", 60), ("day.json", 40), ("long.csv", 4000),
        ("last.csv", 1),
    ]  # fmt: skip
    assert found["new"] == 4161
    assert stored(there) == {FIFTEEN: 4040, SIXTY: 121}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", "upload"),
        ("../../etc/passwd", "passwd"),
        ("C:\\logs\\a.csv", "a.csv"),
        (".hidden", "hidden"),
        ("..", "upload"),
        ("a\nb\x1b[1m.csv", "a?b?[1m.csv"),
        ("é" * 200 + ".csv.gz", "é" * 71 + ".csv.gz"),
        ("x" * 300, "x" * 150),
    ],
)
def test_a_name_cannot_lead_out_of_its_folder(post: Post, name: str, shown: str) -> None:
    assert post(csv(n=1), params={"name": name}).json()["files"][0]["name"] == shown


def test_a_record_that_says_two_things_is_not_taken(there: live.Live, post: Post) -> None:
    answer = encode_answer(records(SIXTY, "2026-10-24 00:01", 3), SIXTY)
    line = b'{"date":"2026-10-24T00:01:00Z","bl":1,"wea_s":60,"nis_s":0}\n'
    for name, body in (
        ("day.json", answer),
        ("day.csv", csv().replace(b"val_s,", b"bl,", 1)),
        ("day.jsonl", line),
    ):
        twice = body.replace(b'"bl":', b'"bl":7,"bl":', 1)
        refused = post(twice, params={"name": name})
        assert refusal(refused) == (422, "not_records"), name
        assert "twice" in refused.text or "same field 'bl'" in refused.text
    assert stored(there) == {}
    kept = post(line.replace(b"00:01:00Z", b"00:02:00Z") + twice, params={"name": "day.jsonl"})
    (file,) = kept.json()["files"]
    assert (file["read"], file["new"]) == (2, 1)


def test_a_repeated_upload_changes_nothing(there: live.Live, post: Post) -> None:
    post(csv())
    (month,) = there.archive.rglob("*.parquet")
    before = month.read_bytes(), month.stat().st_mtime_ns
    answer = post(csv()).json()
    assert (answer["new"], answer["files"][0]["left_out"]) == (0, 60)
    assert (month.read_bytes(), month.stat().st_mtime_ns) == before


def test_a_stored_value_stays_until_it_is_replaced(there: live.Live, post: Post) -> None:
    first = pd.DataFrame(
        {"date": pd.date_range("2026-10-24", periods=9, freq="min", tz="UTC"), "bl": 50.0, **WORN}
    )
    other = first.assign(bl=[50.0] * 7 + [60.0, 70.0], val_s=30.0)
    assert post(first.to_csv(index=False)).json()["new"] == 9
    text = "left by a spreadsheet\n" + other.to_csv(index=False)
    found = post(text, params={"name": "o.csv"}).json()
    assert found["files"][0]["conflicts"] == [
        {"line": 10, "date": "2026-10-24T00:07:00Z", "field": "bl"},
        {"line": 11, "date": "2026-10-24T00:08:00Z", "field": "bl"},
    ]
    assert frame(there)["bl"].tolist() == [50.0] * 9
    assert frame(there)["val_s"].tolist() == [30.0] * 9  # what was missing is added
    replaced = post(text, params={"replace": "true"}).json()
    assert replaced["files"][0]["new"] == 2
    assert post(text, params={"replace": "true"}).json()["new"] == 0
    assert frame(there)["bl"].tolist() == [50.0] * 7 + [60.0, 70.0]


def test_conflicts_are_listed_up_to_a_thousand(post: Post) -> None:
    sent = records(SIXTY, "2026-10-24 00:01", 3000)
    post(sent.to_csv())
    fields = sent.select_dtypes("number").columns.difference(["lat", "lng"])
    sent.loc[sent.index[:110], fields] += 0.25
    [file] = post(sent.to_csv()).json()["files"]
    assert [len(file["conflicts"]), file["more_conflicts"] > 0] == [1000, True]


def test_records_that_seem_to_be_of_somebody_else_are_refused_as_a_whole(
    there: live.Live, post: Post
) -> None:
    post(csv(n=600))
    month = csv(n=600, seed=5) + csv(start="2026-12-01 00:01").partition(b"\n")[2]
    answer = post(month, params={"name": "other.csv"})
    assert refusal(answer) == (409, "conflict")
    assert "other.csv has other values" in answer.json()["error_description"]
    assert str(there.archive) not in answer.text
    assert stored(there) == {SIXTY: 600}
    assert spooled(there) == []


def test_a_file_that_is_no_log_is_refused_and_kept_nowhere(there: live.Live, post: Post) -> None:
    answer = post("dear diary,\nSECRET-7\n", params={"name": "diary.txt"})
    assert refusal(answer) == (422, "not_records")
    assert answer.json()["error_description"].startswith("diary.txt: ")
    both = post(files=[("f", ("diary.txt", b"SECRET-7\n1\n")), ("f", ("a.csv", csv()))])
    assert both.status_code == 200
    diary, log = both.json()["files"]
    assert diary["refused"]
    assert (diary["new"], log["new"]) == (0, 60)
    kept = [path for path in there.archive.rglob("*") if path.is_file()]
    assert not any(b"SECRET-7" in path.read_bytes() for path in kept)


def test_only_a_token_with_the_scope_write_may_add_and_it_may_not_read(
    there: live.Live, post: Post, token: str
) -> None:
    reading = there.login("ada")["access_token"]
    answer = post(csv(), bearer=reading)
    assert refusal(answer) == (403, "insufficient_scope")
    assert 'scope="write"' in answer.headers["WWW-Authenticate"]
    assert stored(there) == {}
    day = ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z")
    refused = there.get(SIXTY, *day, token=token)
    assert refused.status_code == 403
    assert 'scope="official"' in refused.headers["WWW-Authenticate"]
    for scope, may in (("write", (200, 403)), ("official write", (200, 200)), ("read", (403, 200))):
        code = there.registry.grants.issue_code(
            "ada", there.client_id, there.redirect_uri, scope=scope
        )
        scoped = there.exchange(code).json()["access_token"]
        got = post(csv(), bearer=scoped), there.get(SIXTY, *day, token=scoped)
        assert tuple(answer.status_code for answer in got) == may
    assert post(csv(), bearer="unknown").status_code == 401
    assert requests.post(f"{there.url}/v1/records", data=b"x", timeout=9).status_code == 401


PART = b'--edge\r\nContent-Disposition: form-data; name="f"%s\r\n\r\n1\r\n'
FILE = PART % b'; filename="a"'


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        ({"data": b""}, 400, "no file"),
        ({"data": csv(), "params": {"replace": "yes"}}, 400, "replace must be true or false"),
        ({"data": csv(), "params": {"dayfirst": "yes"}}, 400, "dayfirst must be true or false"),
        ({"data": csv(), "params": {"clock": "both"}}, 400, "clock must be first or last"),
        ({"data": csv(), "params": {"encoding": "cp9999"}}, 400, "encoding must be one such as"),
        ({"data": csv(), "params": {"tz": "Asia/Tokio"}}, 400, "tz must be a time zone such as"),
        ({"data": csv(), "params": {"zone": "x"}}, 400, "unknown parameter 'zone'"),
        ({"data": b"x", "headers": {"Content-Type": "multipart/form-data"}}, 400, "boundary"),
        ({"data": b"x", "headers": FORM}, 400, "form"),
        ({"data": FILE[:30], "headers": FORM}, 400, "form breaks off"),
        ({"data": FILE + b"--ed", "headers": FORM}, 400, "form breaks off"),
        ({"data": b"x", "headers": {"Content-Type": FORM["Content-Type"] + "b" * 257}}, 400, ""),
        ({"files": {"note": (None, "text")}}, 400, "no file"),
        ({"data": FILE * 1001 + b"--edge--\r\n", "headers": FORM}, 413, "more than 1,000 files"),
        ({"data": PART % b"" * 5000, "headers": FORM}, 413, "more than 1,000 files"),
    ],
)
def test_a_request_that_cannot_be_read_is_a_plain_error(
    there: live.Live, post: Post, more: dict[str, object], status: int, said: str
) -> None:
    answer = post(more.pop("data", None), **more)
    assert answer.status_code == status
    assert said in answer.json()["error_description"]
    assert spooled(there) == []


def test_no_parameter_reads_a_file_of_the_service(there: live.Live, post: Post) -> None:
    table = there.archive.parent / "zones.csv"
    table.write_text("from,tz\n,Asia/Tokyo\n")
    refused = post(csv(), params={"tz": str(table)})
    assert (refused.status_code, stored(there)) == (400, {})


@pytest.mark.usefixtures("within_one_hour")
def test_uploads_are_limited_by_rate_and_by_quota(there: live.Live, tmp_path: Any) -> None:
    limits = {"uploads_per_hour": 2, "quota": 60_000}
    with live.service(tmp_path / "other", {"ada": [], "bea": []}, **limits) as there:
        url = f"{there.url}/v1/records"
        ada, bea = (bearer(there, name) for name in ("ada", "bea"))
        small = csv(n=10)
        answer = requests.post(url, data=small, headers=ada, timeout=60)
        assert (answer.status_code, answer.headers["X-RateLimit-Remaining"]) == (200, "1")
        over = requests.post(url, data=csv(n=600), headers=ada, timeout=60)
        assert refusal(over) == (507, "quota_exceeded")
        assert "may keep 0.06 MB here, and has 0." in over.json()["error_description"]
        streamed = iter([csv(n=300), csv(n=300)])  # without a length
        over = requests.post(url, data=streamed, headers=bea, timeout=60)
        assert refusal(over) == (507, "quota_exceeded")
        assert stored(there, "bea") == {}
        late = requests.post(url, data=small, headers=ada, timeout=60)
        assert refusal(late) == (429, "rate_limit_exceeded")
        assert int(late.headers["Retry-After"]) <= 3600
        assert requests.post(url, data=small, headers=bea, timeout=60).status_code == 200


def test_what_another_import_brings_meanwhile_counts_for_the_quota(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live.service(tmp_path / "archive", {"ada": []}, quota=60_000) as there:

        def after_another(*words: Any, **more: Any) -> Any:
            frame = records(SIXTY, "2026-10-20 00:01", 600)
            el.Archive(there.archive).write(SIXTY, frame, account="ada")
            return import_files(*words, **more)

        monkeypatch.setattr("eyelog_service.uploads.import_files", after_another)
        url = f"{there.url}/v1/records"
        over = requests.post(url, data=csv(n=200), headers=bearer(there, "ada"), timeout=60)
        assert refusal(over) == (507, "quota_exceeded")
        assert stored(there) == {SIXTY: 600}


def test_what_has_arrived_needs_no_room_again(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, spare = csv(), 64 << 20

    def usage(_: object) -> SimpleNamespace:
        arrived = sum(path.stat().st_size for path in spooled(there))
        return SimpleNamespace(free=spare + len(body) - arrived)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert post(body).status_code == 200


@pytest.mark.parametrize("packed", ["zip", "gz"])
def test_what_unpacks_to_more_than_it_may_is_refused(tmp_path: Any, packed: str) -> None:
    with live.service(tmp_path / "archive", {"ada": []}, unpacked=50_000) as there:
        content = csv(n=3000)
        body = zipped({"a.csv": content}) if packed == "zip" else gzip.compress(content)
        url, headers = f"{there.url}/v1/records", bearer(there, "ada")
        over = requests.post(url, data=body, headers=headers, timeout=60)
        assert refusal(over) == (413, "content_too_large")
        assert "unpacks to more than 0.05 MB" in over.json()["error_description"]
        assert stored(there) == {}
        assert requests.post(url, data=csv(n=9), headers=headers, timeout=60).status_code == 200


def test_a_full_disk_is_507_and_an_archive_that_cannot_be_written_503(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2_000_000))
        assert refusal(post(csv())) == (507, "insufficient_storage")
    (there.archive / f"log={SIXTY}").write_text("in the way of the folder")
    assert refusal(post(csv())) == (503, "temporarily_unavailable")
    assert spooled(there) == []


def test_a_disk_that_fills_up_within_a_body_is_507_and_leaves_nothing_behind(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Filling(io.FileIO):
        def write(self, data: Any) -> int:
            if self.tell():
                raise OSError(errno.ENOSPC, "no space left")
            return super().write(data[: len(data) // 2])

    opens = Path.open

    def on_a_full_disk(path: Path, mode: str = "r", *how: Any, **more: Any) -> Any:
        is_body = ".uploads" in path.parts and mode == "wb"
        return Filling(path, mode) if is_body else opens(path, mode, *how, **more)

    with monkeypatch.context() as full:
        full.setattr(Path, "open", on_a_full_disk)
        assert refusal(post(csv())) == (507, "insufficient_storage")
    assert [*there.archive.glob(".uploads/account=*")] == []
    assert stored(there) == {}
    assert post(csv()).json()["new"] == 60


@pytest.mark.slow("a large upload is imported in a process apart")
def test_health_and_a_small_upload_wait_for_no_large_one(there: live.Live, post: Post) -> None:
    body = gzip.compress(csv(FIFTEEN, "2026-10-01 00:00:15", 40_000))
    done: list[int] = []
    sending = threading.Thread(target=lambda: done.append(post(body).status_code))
    sending.start()
    time.sleep(0.5)
    small = post(csv(n=2), bearer=there.registry.grants.issue_upload_token("bea"))
    assert (small.json()["new"], done) == (2, [])
    answered = 0
    while sending.is_alive():
        assert requests.get(f"{there.url}/health", timeout=60).status_code == 200
        answered += sending.is_alive()
    assert done == [200]
    assert answered


@pytest.mark.slow("a body of 256 MB is sent")
@pytest.mark.parametrize("more", [0, 1])
def test_a_body_of_256_mb_is_taken_and_one_of_a_byte_more_is_not(
    there: live.Live, post: Post, tmp_path: Any, more: int
) -> None:
    part = b'--edge\r\nContent-Disposition: form-data; name="f"; filename="%s"\r\n\r\n'
    head = part % b"day.csv" + csv() + b"\r\n" + part % b"zeros.csv"
    tail = b"\r\n--edge--\r\n"
    with (tmp_path / "body").open("w+b") as body:
        body.write(head)
        body.seek((256 << 20) + more - len(tail))  # between them, nothing but zeros
        body.write(tail)
        body.seek(0)
        answer = post(body, headers=FORM)
    assert answer.status_code == (413 if more else 200), answer.text
    if more:
        assert "larger than 256 MB" in answer.json()["error_description"]
    else:
        assert [file.get("new") for file in answer.json()["files"]] == [60, 0]
    assert stored(there) == ({} if more else {SIXTY: 60})
    assert spooled(there) == []


def test_an_upload_is_written_to_the_audit_log_without_its_content(
    there: live.Live, post: Post, token: str
) -> None:
    post(csv(), params={"name": "holiday-with-bea.csv"})
    text = (there.archive / "_service.audit.jsonl").read_text()
    (event,) = [line for line in map(json.loads, text.splitlines()) if line["event"] == "upload"]
    assert (event["account"], event["files"], event["new"]) == ("ada", 1, 60)
    assert "holiday" not in text
    assert token not in text


def test_an_upload_says_what_it_left_out_and_takes_how_files_are_written(post: Post) -> None:
    minutes = pd.date_range("2026-10-24T01:00", periods=60, freq="min").to_series()
    minutes.iloc[30:] -= pd.Timedelta(minutes=12)  # the clock was set back
    rows = [f"{at:%Y-%m-%dT%H:%M:%SZ},{number}" for number, at in enumerate(minutes)]
    body = "\n".join(["date,val_s", *rows, "1970-01-01T00:00:00Z,1"]).encode()
    refused = post(body)
    assert refused.status_code == 422
    assert "clock='first'" in refused.json()["error_description"]
    [file] = post(body, params={"clock": "last"}).json()["files"]
    assert (file["read"], file["new"], file["left_out"]) == (61, 48, 13)
    assert "set aside 1 of 61 records" in " ".join(file["notes"])
    body = b"date,stp\n2026-10-21T00:00:15Z,3\n2026-10-21T00:00:15Z,4\n"
    [file] = post(body).json()["files"]
    assert (file["read"], file["new"], file["left_out"]) == (2, 1, 1)
    assert "1 record with other values than a later one" in " ".join(file["notes"])
    [file] = post(body).json()["files"]
    assert (file["new"], file["left_out"], file["conflicts"]) == (0, 2, [])
