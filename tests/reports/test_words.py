"""Numbers and days as a sentence says them."""

import pytest

from eyelog.reports import words


def test_a_rounded_zero_has_no_sign() -> None:
    assert words.number(-0.001, 2) == "0.00"


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0 %"), (0.001, "under 1 %"), (0.5, "50 %"), (0.999, "over 99 %"), (1.0, "100 %")],
)
def test_a_share_is_0_or_100_percent_only_where_it_is(share: float, said: str) -> None:
    assert words.percent(share) == said
