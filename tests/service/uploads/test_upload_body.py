"""Bodies as files, however they come in pieces."""

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from eyelog_service import uploads
from eyelog_service.uploads import receive, shown_name
from eyelog_service.web import Problem

FORM = "multipart/form-data; boundary=edge"


def form(*files: tuple[str, bytes]) -> bytes:
    parts = [
        b'--edge\r\nContent-Disposition: form-data; name="f"; filename="%b"\r\n\r\n%b\r\n'
        % (name.encode(), content)
        for name, content in files
    ]
    return b"".join([*parts, b"--edge--\r\n"])


def received(folder: Path, content: bytes, kind: str, size: int, name: str = "") -> list[Path]:
    pieces: Iterator[bytes] = iter(
        [content[at : at + size] for at in range(0, len(content), size)] or [b""]
    )

    async def more() -> dict[str, Any]:
        piece = next(pieces, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    headers = [(b"content-type", kind.encode())]
    request = Request({"type": "http", "method": "POST", "headers": headers}, more)
    return anyio.run(lambda: receive(request, folder, name=name))


@settings(max_examples=30, deadline=None)
@given(
    files=st.lists(st.binary(min_size=1, max_size=200), min_size=1, max_size=4),
    size=st.integers(1, 70),
)
def test_a_form_gives_its_files_however_it_is_cut(
    tmp_path_factory: pytest.TempPathFactory, files: list[bytes], size: int
) -> None:
    folder = tmp_path_factory.mktemp("form")
    content = form(*((f"{at}.csv", each) for at, each in enumerate(files)))
    got = received(folder, content, FORM, size)
    assert [each.read_bytes() for each in got] == files
    assert [each.name for each in got] == [f"{at}.csv" for at in range(len(files))]
    assert all(each.stat().st_mode & 0o777 == 0o600 for each in got)


@pytest.mark.parametrize("cut", [30, -12])
def test_a_form_that_breaks_off_is_refused(tmp_path: Path, cut: int) -> None:
    with pytest.raises(Problem, match="form"):
        received(tmp_path, form(("a", b"1" * 100))[:cut], FORM, 999)


def test_a_form_with_too_many_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="more than 1,000 files: send them in a zip"):
        received(tmp_path, form(*[("a", b"1")] * 1001), FORM, 1 << 20)


def test_a_form_of_countless_small_parts_is_refused_before_it_is_read(tmp_path: Path) -> None:
    part = b'--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
    with pytest.raises(Problem, match="more than 1,000 files"):
        received(tmp_path, part * 5000, FORM, 1 << 20)


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
def test_a_name_cannot_lead_out_of_its_folder(name: str, shown: str) -> None:
    assert shown_name(name) == shown


def test_a_full_disk_is_507_and_another_fault_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_with(number: int) -> None:
        def fails(self: Any, data: bytes) -> None:
            raise OSError(number, "a fault")

        monkeypatch.setattr(uploads._Files, "write", fails)

    def folder(name: str) -> Path:
        (tmp_path / name).mkdir()
        return tmp_path / name

    fails_with(errno.EACCES)
    with pytest.raises(PermissionError):
        received(folder("denied"), b"text", "text/csv", 9)
    fails_with(errno.ENOSPC)
    with pytest.raises(Problem) as refused:
        received(folder("full"), b"text", "text/csv", 9)
    assert (refused.value.status, refused.value.error) == (507, "insufficient_storage")
