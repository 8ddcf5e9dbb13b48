"""The sample week in either log."""

import pandas as pd
import pytest

import eyelog as el
from support.wearers import FIFTEEN, SIXTY


@pytest.fixture(scope="session")
def fifteen() -> pd.DataFrame:
    return el.sample(FIFTEEN)


@pytest.fixture(scope="session")
def sixty() -> pd.DataFrame:
    return el.sample(SIXTY)
