"""The command `eyelog listen`: what it prints, and what it refuses."""

from pathlib import Path

import pytest

from support.command import main


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tls-key", "key.pem"], "give --tls-cert too"),
        (["--tls-cert", "nowhere.pem"], "cannot use the certificate nowhere.pem"),
        (["--device", "anna"], "--device is NAME=ACCOUNT, not 'anna'"),
        (["--device", "left="], "--device is NAME=ACCOUNT, not 'left='"),
        (["--port", "65536"], "--port is a number from 0 to 65535, not 65536"),
        (["--host", "192.0.2.1"], "cannot listen at 192.0.2.1, port 5000"),
        (["--account", ""], "is not an account"),
        (["--path", "a/b"], "a secret path is one word"),
    ],
)
def test_a_wrong_option_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["listen", "--archive", str(tmp_path / "archive"), *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
