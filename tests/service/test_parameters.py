"""Parameters by name."""

import pytest

from eyelog.service.parameters import by_name
from eyelog.service.responses import Problem


def test_each_parameter_is_kept_with_its_value_even_if_empty() -> None:
    assert by_name([("a", "1"), ("b", "")]) == {"a": "1", "b": ""}


def test_a_repeated_parameter_is_reported_by_its_shortened_name() -> None:
    with pytest.raises(Problem, match=r"parameter 'x{64}' is given more than once"):
        by_name([("x" * 100, "1"), ("x" * 100, "1")])
