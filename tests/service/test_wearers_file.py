"""A list of wearers is taken as a whole, and each fault names its line."""

from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.accounts import Listed, read_wearers


def read(folder: Path, text: str) -> list[Listed]:
    (folder / "wearers.csv").write_bytes(text.encode())
    return read_wearers(folder / "wearers.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1 names no column name: the file needs it, and may have password, study"),
        ("name\n", "lists no wearer"),
        ("study\nsleep\n", "line 1 names no column name"),
        ("name,name\nada,bea\n", "line 1 names the column name twice"),
        ("name,e-mail\nada,a@b\n", "column 2 is none of name, password, study, zone"),
        ("name;study\nada;x\n", "with commas between them: column 1 is none of"),
        ("a,b,name\n1,2,ada\n", "columns 1 and 2 are none of"),
        ("name,study\nada\n", "line 2 does not have 2 cells"),
        ("name,study\nada,a,b\n", "line 2 does not have 2 cells"),
        ("name\nada\n\nbea\nada\n", "line 5, column name: the account stands in line 2"),
        ("name\n ada\n", "line 2, column name: no account can have this name: use printable"),
        ("name,study\nada, x\n", "line 2, column study: no study can have this name: use print"),
        ("name,password\nada,horse\n", "line 2, column password: the password is too short"),
        ("name,zone\nada,\nbea,Asia/Tokio\n", "line 3, column zone: no time zone such as"),
        ('name,study\n"a\nb",x\n', "line 3, column name: a line break in a cell"),
        ('name,study\r\nada,"x\r\ny"\r\n', "line 3, column study: a line break in a cell"),
        ('name\n"ada\n', "is not a CSV file: line 2: "),
        ('name\n"ada"x\n', "is not a CSV file: line 2: "),
    ],
)
def test_a_fault_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(el.ConfigurationError, match=said):
        read(tmp_path, text)


SECRET = "Tr0ub4dor-secret"


@pytest.mark.parametrize(
    "text",
    [
        f"anna,{SECRET}\n",
        f"name,study,zone\nanna,sleep,{SECRET}\n",
        f"name,study\nanna,{SECRET} \n",
        f"name,password\n {SECRET},anna\n",
        f"name,password\n{SECRET},\n{SECRET},\n",
        f"name,password\n{SECRET},horse\n",
        f"name,password\n{SECRET},{SECRET}\n",
        f"name,password\nanna,{SECRET},\n",
        f'name,password\nanna,"{SECRET}"x\n',
        f'name,password\nanna,"{SECRET}\n"\n',
        f'name,password\nanna,"{SECRET}\n',
    ],
)
def test_no_fault_shows_what_may_be_a_password(tmp_path: Path, text: str) -> None:
    with pytest.raises(el.ConfigurationError) as fault:
        read(tmp_path, text)
    assert SECRET not in str(fault.value)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="cannot read"):
        read_wearers(tmp_path / "nowhere.csv")
    (tmp_path / "latin.csv").write_bytes("name\nJosé\n".encode("latin-1"))
    with pytest.raises(el.ConfigurationError, match="save it as CSV UTF-8"):
        read_wearers(tmp_path / "latin.csv")
