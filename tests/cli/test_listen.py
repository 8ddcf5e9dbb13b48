"""The command `eyelog listen`: what it prints, and what it refuses."""

from pathlib import Path

import pytest

from eyelog.cli import main
from support.livesocket import listening


def test_it_shows_the_code_of_its_address_and_what_to_tick(tmp_path: Path) -> None:
    with listening(tmp_path / "archive", "--account", "anna") as there:
        said = there.stop()
    text = "\n".join(said)
    assert "█▀" in text
    for kind in ("currentData", "logicIndexData", "summaryData", "fastHeadMotion"):
        assert kind in text
    assert any("a button to mark events: http://127.0.0.1:" in line for line in said)
    assert "Only this computer reaches the server: for a phone, give --host 0.0.0.0" in said


def test_a_server_for_the_network_says_that_nothing_is_encrypted(tmp_path: Path) -> None:
    with listening(tmp_path / "archive", "--host", "0.0.0.0") as there:
        assert "0.0.0.0" not in there.address
        assert any("not encrypted" in line for line in there.stop())


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
