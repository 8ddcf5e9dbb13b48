"""The parts whose inside the service reaches into: bounded, and what is newer is named."""

import re
import tomllib
from pathlib import Path

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service import known_versions, server
from support.paths import ROOT


def _pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==", 1) for line in lines if "==" in line)


def test_the_newest_known_versions_are_those_that_the_tests_run_with() -> None:
    pinned = _pinned()
    for name, newest in known_versions.KNOWN.items():
        assert tuple(int(number) for number in pinned[name].split(".")[:2]) == newest


def test_each_part_has_an_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["service"]]
    for name in (*known_versions.KNOWN, "requests-cache"):
        (bound,) = (text for text in wanted if re.match(rf"{name}\b[>=]", text))
        assert re.search(r",<[0-9.]+$", bound), bound


def test_what_is_newer_is_named_and_what_is_known_is_not() -> None:
    assert known_versions.unknown() == []
    assert known_versions.unknown({"h11": (0, 0), "no-such-part": (0, 1)}) == ["h11 0.16.0"]


def test_a_service_with_a_newer_part_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server, "unknown", lambda: ["uvicorn 9.0"])
    with pytest.raises(ConfigurationError, match="cannot listen"):
        server.serve(tmp_path, port=-1)
    assert "warning: not known to work with uvicorn 9.0" in capfd.readouterr().err
