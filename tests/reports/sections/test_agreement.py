"""How far the two logs agree."""

import pytest

import eyelog as el
from eyelog.reports.evidence import agreement as section
from eyelog.reports.parts import Empty
from support.reported import FIFTEEN, SIXTY, frame, logs


def test_a_difference_is_claimed_only_where_the_interval_of_the_bias_excludes_0() -> None:
    table = el.compare.agreement(frame(FIFTEEN, 9), frame(SIXTY, 9))
    known = table[table["reason"] == ""]
    apart = int(((known["bias_low"] > 0) | (known["bias_high"] < 0)).sum())
    assert section(logs()).findings[1].startswith(f"For {apart} of {len(known)} quantities")


def test_one_log_alone_has_nothing_to_agree_with() -> None:
    with pytest.raises(Empty, match="the 60-second log was not given"):
        section(logs(FIFTEEN))
