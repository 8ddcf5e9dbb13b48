"""Where an archive is, and what goes wrong there, in one line."""

import pytest

from eyelog.archive.place import (
    archive_errors,
)


def test_an_error_in_the_code_is_not_taken_for_one_of_the_disk() -> None:
    with pytest.raises(ValueError, match="a bug"), archive_errors("do this"):
        raise ValueError("a bug")
