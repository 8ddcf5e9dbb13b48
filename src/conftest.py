"""Every doctest leaves no figure open, as every test of figures does."""

from collections.abc import Iterator

import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")
