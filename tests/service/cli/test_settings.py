"""One settings file: every setting of the service, what comes first, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eyelog_service.cli.serve import SETTINGS, Serving
from support.command import main
from support.parsers import parsed

Write = Callable[[str], str]


@pytest.fixture
def config(tmp_path: Path) -> Write:
    def write(text: str) -> str:
        (tmp_path / "eyelog.toml").write_text(text)
        return str(tmp_path / "eyelog.toml")

    return write


def values(*words: str) -> dict[str, tuple[object, str]]:
    return Serving(**parsed(["serve", *words])).in_force


def test_an_option_comes_before_the_environment_the_file_and_the_default(
    config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = config("port = 1\n")
    assert values()["port"] == (8765, "default")
    assert values("--config", file)["port"] == (1, file)
    monkeypatch.setenv("EYELOG_SERVICE_PORT", "2")
    assert values("--config", file)["port"] == (2, "EYELOG_SERVICE_PORT")
    assert values("--config", file, "--port", "3")["port"] == (3, "--port")
    monkeypatch.setenv("EYELOG_SERVICE_PORT", " ")  # unset, as for every other name
    assert values("--config", file)["port"] == (1, file)


def test_the_environment_can_name_the_file(config: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EYELOG_SERVICE_CONFIG", config("workers = 3\n"))
    assert values()["workers"][0] == 3


def test_a_file_in_the_current_folder_is_not_read_unasked(
    config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(config("port = 1\n")).parent)
    assert values()["port"] == (8765, "default")


def test_each_setting_has_the_same_value_in_the_file_the_environment_and_as_an_option(
    config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "archive": f"{tmp_path}/logs",
        "state": f"{tmp_path}/state",
        "local": f"{tmp_path}/local",
        "host": "::1",
        "port": "81",
        "page-size": "7",
        "workers": "2",
        "requests-per-hour": "0",
        "uploads-per-hour": "5",
        "quota": "1.5GB",
        "unpacked": "30MB",
        "behind-proxy": "10.0.0.2",
        "root-path": "/eyelog",
    }
    assert list(given) == [*SETTINGS]
    numbers = {name for name, (kind, _) in SETTINGS.items() if kind == "number"}
    text = "".join(
        f"{name} = {value if name in numbers else json.dumps(value)}\n"
        for name, value in given.items()
    )
    in_file = values("--config", config(text))
    options = values(*(word for name, value in given.items() for word in (f"--{name}", value)))
    for name, value in given.items():
        monkeypatch.setenv(f"EYELOG_SERVICE_{name.replace('-', '_').upper()}", value)
    found = [{name: value for name, (value, _) in one.items()} for one in (in_file, options)]
    assert found == [{name: value for name, (value, _) in values().items()}] * 2
    assert (found[0]["port"], found[0]["quota"]) == (81, 1_500_000_000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 1", "has the setting 'prot', which does not exist (did you mean 'port'?)"),
        ('access-log = "a.jsonl"', "has the setting 'access-log', which does not exist"),
        ("page_size = 1", "(did you mean 'page-size'?): the settings are archive, state, "),
        ("[serve]\nport = 1", "has the setting 'serve', which does not exist"),
        ('port = "8765"', "port must be a whole number, not '8765'"),
        ("port = true", "port must be a whole number, not True"),
        ("workers = 1.5", "workers must be a whole number, not 1.5"),
        ('quota = "lots"', "quota must be a size such as '2GB', not 'lots'"),
        ("behind-proxy = true", "behind-proxy must be text, not True"),
        ('archive = ""', "archive must be a path, as text, not ''"),
        ("port = ", "is not TOML: "),
        ("port = 1\nport = 2", "is not TOML: "),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line_that_names_it(
    text: str, message: str, config: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = config(text)
    for command in (["serve"], ["service", "check"], ["service", "list-accounts"]):
        assert main([*command, "--config", file]) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert file in error
        assert message in error


def test_a_file_that_is_not_there_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--config", str(tmp_path / "none.toml")]) == 1
    assert "cannot read the settings file" in capsys.readouterr().err


def test_the_environment_is_refused_as_the_file_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EYELOG_SERVICE_PROT", "1")
    assert main(["serve"]) == 1
    assert "did you mean 'EYELOG_SERVICE_PORT'?" in capsys.readouterr().err
    monkeypatch.delenv("EYELOG_SERVICE_PROT")
    monkeypatch.setenv("EYELOG_SERVICE_PORT", "http")
    assert main(["serve"]) == 1
    assert "EYELOG_SERVICE_PORT: port must be a whole number" in capsys.readouterr().err


def test_a_password_that_others_can_read_is_warned_of_and_never_shown(
    config: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = "postgresql://eyelog@127.0.0.1:1/eyelog"  # where no database listens
    address = shown.replace("@", ":Pa55@")

    def said(*words: str) -> list[str]:
        assert main(["service", "list-accounts", *words]) == 1
        lines = capsys.readouterr().err.splitlines()
        assert f"the service's state in {shown} cannot be used: connection failed" in lines[-1]
        assert not [line for line in lines if "Pa55" in line]
        return lines[:-1]

    [typed] = said("--archive", str(tmp_path), "--state", address)
    assert f"a list of processes shows the password of {shown}: put it into the file" in typed
    file = config(f'archive = "logs"\nstate = "{address}"\n')
    Path(file).chmod(0o644)
    [readable] = said("--config", file)
    assert f"others can read the password of {shown}: chmod 640 {file}" in readable
    Path(file).chmod(0o640)
    assert said("--config", file) == []
    monkeypatch.setenv("EYELOG_SERVICE_STATE", address)
    assert said("--archive", str(tmp_path)) == []
