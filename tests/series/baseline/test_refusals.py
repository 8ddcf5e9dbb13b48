"""What takes days takes no records by the thousand, and what judges nothing takes no limits."""

import pytest

import eyelog as el


def test_records_by_the_thousand_are_refused_with_the_days_to_take() -> None:
    frame = el.simulate("2026-10-19", 6, log="standard_mode_logs", seed=1)
    with pytest.raises(el.ConfigurationError, match=r"personal\(eyelog\.daily\(frame\), 'steps'\)"):
        el.baseline.personal(frame, "hm_yo")
    assert len(el.baseline.personal(el.daily(frame), "steps")) == 6
    assert len(el.baseline.personal(el.resample(frame, "1h"), "hm_yo")) > 6


def test_limits_of_days_and_hours_below_0_are_refused() -> None:
    days = el.daily(el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=1))
    for limits in ("nonsense", el.Limits(min_worn="30s")):
        with pytest.raises(el.ConfigurationError, match="limits judge records"):
            el.compare.mixed_table({"ann": days}, limits=limits)
    for hours in (-1, 25):
        with pytest.raises(el.ConfigurationError, match="0 to 24 hours"):
            el.plot_daily(days, "steps", min_worn_h=hours)
