"""The versions that an analysis was computed with."""

import platform

import pandas as pd

import eyelog as el
from eyelog.reports.versions import versions


def test_they_are_those_of_the_running_packages() -> None:
    found = versions()
    assert found["eyelog"] == el.__version__
    assert found["python"] == platform.python_version()
    assert found["pandas"] == pd.__version__
    assert {"numpy", "scipy", "matplotlib"} <= set(found)
