"""The private folder of eyelog."""

import stat
from pathlib import Path

import pytest

from eyelog.disk.home import home_dir
from eyelog.errors import ConfigurationError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_home_that_cannot_be_made_is_a_configuration_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="EYELOG_HOME"):
        home_dir(tmp_path / "file" / "home")


def test_home_is_the_argument_then_the_environment(home, tmp_path):
    assert home_dir() == home
    assert home_dir(tmp_path / "given") == tmp_path / "given"
    assert mode(tmp_path / "given") == 0o700


def test_a_folder_that_stands_keeps_its_permissions(tmp_path):
    tmp_path.chmod(0o755)
    home_dir(tmp_path)
    assert mode(tmp_path) == 0o755
