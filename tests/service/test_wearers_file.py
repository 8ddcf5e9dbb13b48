"""A list of wearers is taken as a whole, and each fault names its line."""

from pathlib import Path

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.auth.accounts import NewAccount
from eyelog.service.wearers_file import Listed, read_wearers


def read(folder: Path, text: str) -> list[Listed]:
    (folder / "wearers.csv").write_bytes(text.encode())
    return read_wearers(folder / "wearers.csv")


def test_all_columns_but_the_name_may_be_missing_or_empty(tmp_path: Path) -> None:
    assert read(tmp_path, "name\nada\n") == [Listed(NewAccount("ada"), "")]
    whole = "\ufeffname,password,study,role,zone\r\nada,correct horse,sleep,staff,Asia/Tokyo\r\n"
    whole += '"Bea, B",,,,\r\n'
    assert read(tmp_path, whole) == [
        Listed(NewAccount("ada", "correct horse", "sleep", "staff"), "Asia/Tokyo"),
        Listed(NewAccount("Bea, B"), ""),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has the columns : it needs name"),
        ("name\n", "lists no wearer"),
        ("account\nada\n", "'account': it needs name"),
        ("name,name\nada,bea\n", "it needs name"),
        ("name,e-mail\nada,a@b\n", "'e-mail': it needs name, and may have password, study"),
        ("name;study\nada;x\n", "'name;study': it needs name"),
        ("name,study\nada\n", "line 2 does not have 2 cells"),
        ("name,study\nada,a,b\n", "line 2 does not have 2 cells"),
        ("name\nada\nbea\nada\n", "line 4: 'ada' stands in line 2 already"),
        ("name\n ada\n", "line 2: ' ada' cannot be an account's name"),
        ("name,role\nada,boss\n", "line 2: account 'ada': 'boss' is not a role: wearer, staff"),
        ("name,role\nada,staff\n", "line 2: account 'ada': staff belong to a study"),
        ("name,password\nada,horse\n", "line 2: the password of account 'ada' is too short"),
        ("name,zone\nada,\nbea,Asia/Tokio\n", "line 3: .*Asia/Tokio"),
        ('name\n"ada\n', "is not a CSV file"),
    ],
)
def test_a_fault_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot read"):
        read_wearers(tmp_path / "nowhere.csv")
    (tmp_path / "latin.csv").write_bytes("name\nJosé\n".encode("latin-1"))
    with pytest.raises(ConfigurationError, match="save it as CSV UTF-8"):
        read_wearers(tmp_path / "latin.csv")
