"""How many examples a law is tried on."""

import os

from hypothesis import settings


def examples(n: int) -> settings:
    """Try `n` examples, or as many as EYELOG_EXPLORE asks for."""
    return settings(max_examples=int(os.environ.get("EYELOG_EXPLORE", 0)) or n)
