"""One settings file: every setting of the service, what comes first, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.command import main

Write = Callable[[str], str]
# Each setting: its default, and other values in the file, in the environment and as an option.
ORDER: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("archive", "state", "local"), (None, "/a", "/b", "/c")),
    "host": ("127.0.0.1", "127.0.0.2", "127.0.0.3", "::1"),
    "port": (8765, 1, 2, 3),
    "page-size": (500, 1, 2, 3),
    "workers": (1, 2, 3, 4),
    "requests-per-hour": (10_000, 1, 0, 3),
    "uploads-per-hour": (60, 1, 0, 3),
    "quota": (2_000_000_000, 1, 0, 3),
    "unpacked": (500_000_000, 1, 0, 3),
    "behind-proxy": (None, "10.0.0.1", "10.0.0.2", "10.0.0.3"),
    "root-path": ("", "/a", "/b", "/c"),
}
GIVEN = {
    "host": ("::1", "127.0.0.1"),
    "port": (81, "8765"),
    "page-size": (7, "500"),
    "workers": (2, "1"),
    "requests-per-hour": (0, "10000"),
    "uploads-per-hour": (5, "60"),
    "quota": (1_500_000_000, "2000000000"),
    "unpacked": (30_000_000, "500000000"),
    "behind-proxy": ("10.0.0.2", "none"),
    "root-path": ("/eyelog", "none"),
}


@pytest.fixture
def config(tmp_path: Path) -> Write:
    def write(text: str) -> str:
        (tmp_path / "eyelog.toml").write_text(text)
        return str(tmp_path / "eyelog.toml")

    return write


@pytest.fixture
def values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[str, tuple[str, str]]]:
    """Return each setting of a service on an archive that exists, and where it comes from."""
    archive = ["--archive", str(tmp_path / "archive")]
    assert main(["service", "add-account", "ada", *archive]) == 0

    def check(*words: str) -> dict[str, tuple[str, str]]:
        capsys.readouterr()
        main(["service", "check", "--json", *archive, *words])
        found = {one["check"]: one["text"] for one in json.loads(capsys.readouterr().out)}
        return {
            name.removeprefix("setting "): tuple(text.rstrip(")").split(" (", 1))
            for name, text in found.items()
            if name.startswith("setting ")
        }

    return check


def test_an_option_comes_before_the_environment_the_file_and_the_default(
    config: Write, values, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = config('port = 1\narchive = "elsewhere"\nworkers = 3\n')
    monkeypatch.chdir(tmp_path)  # a file in the current folder is not read unasked
    assert values()["port"] == ("8765", "default")
    assert values("--config", file)["port"] == ("1", file)
    monkeypatch.setenv("EYELOG_SERVICE_PORT", "2")
    assert values("--config", file)["port"] == ("2", "EYELOG_SERVICE_PORT")
    assert values("--config", file)["archive"] == (str(tmp_path / "archive"), "--archive")
    monkeypatch.setenv("EYELOG_SERVICE_PORT", " ")  # unset, as for every other name
    assert values("--config", file)["port"] == ("1", file)
    monkeypatch.setenv("EYELOG_SERVICE_CONFIG", file)
    assert values()["workers"] == ("3", file)


@pytest.mark.parametrize("name", ORDER)
def test_serve_takes_an_option_before_the_environment_the_file_and_the_default(
    name: str, config: Write, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: dict[str, Any] = {}
    monkeypatch.setattr(
        "eyelog_service.app.serve", lambda archive, **more: taken.update(more, archive=archive)
    )

    def value(*words: str) -> str:
        assert main(["serve", *words]) == 0
        return str(taken["proxy" if name == "behind-proxy" else name.replace("-", "_")])

    default, in_file, in_environment, typed = ORDER[name]
    assert value() == str(home / "archive" if name == "archive" else default)
    file = "--config", config(f"{name} = {json.dumps(in_file)}\n")
    assert value(*file) == str(in_file)
    monkeypatch.setenv(f"EYELOG_SERVICE_{name.replace('-', '_').upper()}", str(in_environment))
    assert value(*file) == str(in_environment)
    assert value(*file, f"--{name}", str(typed)) == str(typed)


def test_each_setting_has_the_same_value_in_the_file_and_the_environment(
    config: Write, values, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {*values()} == {*ORDER}
    assert {name: values()[name][0] for name in GIVEN} == {
        name: default for name, (_, default) in GIVEN.items()
    }
    stated = {name: value for name, (value, _) in GIVEN.items()}
    stated |= {"quota": "1.5GB", "unpacked": "30 mb"}
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in stated.items())
    in_file = values("--config", config(text))
    assert {name: in_file[name][0] for name in GIVEN} == {
        name: str(value) for name, (value, _) in GIVEN.items()
    }
    for name, value in stated.items():
        monkeypatch.setenv(f"EYELOG_SERVICE_{name.replace('-', '_').upper()}", str(value))
    assert {name: values()[name][0] for name in GIVEN} == {name: in_file[name][0] for name in GIVEN}


def test_paths_are_relative_to_the_file(
    config: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["service", "list-accounts", "--config", config('archive = "logs"\n')]) == 1
    assert f"{tmp_path}/logs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 1", "has the setting 'prot', which does not exist (did you mean 'port'?)"),
        ("page_size = 1", "(did you mean 'page-size'?): the settings are archive, state, "),
        ("[serve]\nport = 1", "has the setting 'serve', which does not exist"),
        ('port = "http"', "port: 'http' is not a valid integer"),
        ("port = true", "port must be text or a whole number"),
        ("workers = 1.5", "workers must be text or a whole number"),
        ('host = ["::1"]', "host must be text or a whole number"),
        ('state = " "', "state is empty: name a folder, or leave it out"),
        ('quota = "lots"', "quota: 'lots' is not a size such as 500MB or 2GB"),
        ("port = ", "is not TOML: "),
        ("port = 1\nport = 2", "is not TOML: "),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line_that_names_it(
    text: str, message: str, config: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = config(text)
    for command in (["serve"], ["service", "list-accounts"]):
        assert main([*command, "--config", file]) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert file in error
        assert message in error


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("PROT", "1", "did you mean 'EYELOG_SERVICE_PORT'?"),
        ("PORT", "http", "EYELOG_SERVICE_PORT: port: 'http' is not a valid integer"),
        ("CONFIG", "none.toml", "cannot read the settings file none.toml"),
    ],
)
def test_the_environment_is_refused_as_the_file_is(
    variable: str,
    text: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(f"EYELOG_SERVICE_{variable}", text)
    assert main(["serve"]) == 1
    assert message in capsys.readouterr().err


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
