"""The private folder of eyelog."""

import pytest

import eyelog as el
from eyelog.home import home_dir


def test_a_home_that_cannot_be_made_is_a_configuration_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(el.ConfigurationError, match="EYELOG_HOME"):
        home_dir(tmp_path / "file" / "home")
