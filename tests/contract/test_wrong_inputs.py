"""Wrong kinds of input: a public function answers, or says in one error what it wants."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eyelog as el
from reference.held import quietly

FRAME = el.sample()[:5760]

KINDS: dict[str, Any] = {
    "series": FRAME["stp"],
    "array": np.arange(5.0),
    "days": el.daily(FRAME),
    "records": FRAME,
    "reasons": el.flag(FRAME),
    "bins": el.resample(FRAME, "1h"),
    "no rows": FRAME.iloc[:0],
    "none": None,
    "text": "week.csv",
}
TABLES = {"records", "bins", "no rows"}
RAW = {"records", "no rows"}

# Each function, and the kinds that it has an answer for.
CALLS: dict[str, tuple[Callable[[Any], Any], set[str]]] = {
    "flag": (el.flag, TABLES),
    "mask": (lambda x: el.mask(x, el.flag(FRAME)), {"records", "reasons"}),
    "mask by": (lambda x: el.mask(FRAME, x), {"reasons"}),
    "explain": (el.explain, {"reasons"}),
    "coverage": (el.coverage, TABLES),
    "gaps": (el.gaps, TABLES),
    "look": (el.look, TABLES),
    "between": (
        lambda x: el.between(x, "09:00", "17:00"),
        {"series", "days", "reasons", *TABLES},
    ),
    "resample": (lambda x: el.resample(x, "2h"), TABLES),
    "daily": (el.daily, TABLES),
    "weekly": (el.weekly, {"days", *TABLES}),
    "readable": (el.readable, {"days", "reasons", *TABLES}),
    "attrition": (lambda x: el.attrition(x, recipe="mind"), RAW),
    "select": (lambda x: el.select(x, recipe="mind"), RAW),
    "states": (el.states, RAW),
    "episodes": (el.episodes, set()),
    "plot_timeline": (lambda x: el.plot_timeline(x, fields=["stp"]), {"records", "bins"}),
    "plot_attrition": (el.plot_attrition, set()),
    "plot_day": (lambda x: el.plot_day(x, "stp"), {"records", "bins"}),
    "plot_overview": (el.plot_overview, {"records"}),
    "plot_quality": (el.plot_quality, {"records", "reasons"}),
    "plot_heatmap": (lambda x: el.plot_heatmap(x, "stp"), {"records", "bins"}),
    "plot_daily": (el.plot_daily, {"days"}),
    "plot_profile": (el.plot_profile, set()),
    "plot_rate": (el.plot_rate, set()),
    "plot_rhythm": (el.plot_rhythm, set()),
    "plot_bouts": (el.plot_bouts, set()),
    "plot_events": (el.plot_events, set()),
    "plot_agreement": (lambda x: el.plot_agreement(x, x), set()),
    "plot_actogram": (el.plot_actogram, {"series"}),
    "plot_week": (el.plot_week, {"days"}),
    "plot_month": (el.plot_month, {"days"}),
    "plot_change": (lambda x: el.plot_change(x, "steps", at="2026-10-21"), set()),
    "plot_baseline": (el.plot_baseline, set()),
    "plot_cohort": (el.plot_cohort, set()),
    "plot_distribution": (el.plot_distribution, {"series"}),
    "save_figure": (lambda x: el.save_figure(x, "figure.png"), set()),
    "compose_figure": (lambda x: el.compose_figure(x, "timeline"), {"records", "bins"}),
    "blinks.rate": (el.blinks.rate, TABLES),
    "blinks.strength": (el.blinks.strength, TABLES),
    "blinks.duration": (el.blinks.duration, TABLES),
    "blinks.bursts": (el.blinks.bursts, set()),
    "blinks.cleansings": (el.blinks.cleansings, set()),
    "gait.bouts": (el.gait.bouts, RAW),
    "gait.pace": (el.gait.pace, TABLES),
    "gait.peak_cadence": (el.gait.peak_cadence, RAW),
    "gait.speed_classes": (el.gait.speed_classes, set()),
    "posture.head_movements": (el.posture.head_movements, TABLES),
    "posture.relative_tilt": (el.posture.relative_tilt, TABLES),
    "posture.spread": (el.posture.spread, TABLES),
    "posture.zones": (el.posture.zones, TABLES),
    "agreement": (lambda x: el.compare.agreement(x, el.sample("standard_mode_logs")[:60]), RAW),
    "agreement with": (lambda x: el.compare.agreement(FRAME, x), set()),
    "mixed_table": (lambda x: el.compare.mixed_table({"a": x}), {"days", *TABLES}),
    "fit_mixed": (lambda x: el.compare.fit_mixed(x, "y", predictors="x"), set()),
    "group_difference": (
        lambda x: el.compare.group_difference(x, {"a": "one", "b": "two"}, outcome="stp"),
        set(),
    ),
    "events": (
        lambda x: el.compare.events(x, [FRAME.index[99]], before="10min", after="10min"),
        {"series", *TABLES},
    ),
    "event_courses": (
        lambda x: el.compare.event_courses(x, [FRAME.index[99]], before="5min", after="5min"),
        {"series", *TABLES},
    ),
    "minute_pairs": (
        lambda x: el.compare.minute_pairs(
            x, el.sample("standard_mode_logs")[:60], quantity="steps"
        ),
        RAW,
    ),
    "minute_pairs with": (
        lambda x: el.compare.minute_pairs(FRAME, x, quantity="steps"),
        set(),
    ),
    "events at": (
        lambda x: el.compare.events(FRAME, x, before="10min", after="10min"),
        set(),
    ),
    "two_periods": (lambda x: el.compare.two_periods(x, x), {"series"}),
    "rate_ratio": (lambda x: el.compare.rate_ratio(x, x), set()),
    "limits_of_agreement": (
        lambda x: el.compare.limits_of_agreement(x, x),
        {"series", "array"},
    ),
    "standardised_mean": (el.compare.standardised_mean, {"series"}),
    "wear_diagnostic": (lambda x: el.compare.wear_diagnostic(x, ~FRAME["isl"]), {"series"}),
    "wear_diagnostic with": (lambda x: el.compare.wear_diagnostic(FRAME["stp"], x), set()),
    "symmetry": (lambda x: el.gait.symmetry(x, x), {"series"}),
    "symmetry with": (lambda x: el.gait.symmetry(x, 1.0), {"series"}),
    "posture.circular_mean": (el.posture.circular_mean, {"series", "array", "none"}),
    "posture.circular_sd": (el.posture.circular_sd, {"series", "array", "none"}),
    "posture.circular_median": (el.posture.circular_median, {"series", "array", "none"}),
    "interdaily_stability": (el.rhythm.interdaily_stability, {"series"}),
    "intradaily_variability": (el.rhythm.intradaily_variability, {"series"}),
    "most_active": (el.rhythm.most_active, {"series"}),
    "least_active": (el.rhythm.least_active, {"series"}),
    "relative_amplitude": (el.rhythm.relative_amplitude, {"series"}),
    "sleep_regularity": (el.rhythm.sleep_regularity, set()),
    "cosinor": (el.rhythm.cosinor, {"series"}),
    "time_on_task": (el.rhythm.time_on_task, {"series"}),
    "profile": (el.rhythm.profile, {"series"}),
    "fragmentation": (el.rhythm.fragmentation, set()),
    "activity_bouts": (lambda x: el.rhythm.activity_bouts(x, threshold=1), {"series"}),
    "robust_z": (el.baseline.robust_z, {"series"}),
    "typical_value": (el.baseline.typical_value, {"series"}),
    "personal": (el.baseline.personal, {"series"}),
    "trend": (el.baseline.trend, {"series"}),
    "change_points": (lambda x: el.baseline.change_points(x, penalty=50), {"series"}),
    "read_answer": (el.read_answer, set()),
    "read_logger_csv": (el.read_logger_csv, set()),
    "read": (el.read, set()),
    "fields": (el.fields, set()),
    "needed": (lambda x: el.needed(x, log="computed_data"), set()),
    "needed of": (lambda x: el.needed("daily", log=x), set()),
    "sample": (el.sample, set()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_a_function_answers_or_says_what_it_wants(name: str, kind: str) -> None:
    call, answered = CALLS[name]
    if kind in answered:
        assert quietly(call, KINDS[kind]) is not None
        return
    with pytest.raises(el.EyelogError) as caught:
        quietly(call, KINDS[kind])
    text = str(caught.value)
    assert len(text) > 25
    assert "\n" not in text


@pytest.mark.parametrize("name", ["flag", "coverage", "gaps", "daily", "blinks.rate", "gait.pace"])
@pytest.mark.parametrize(("kind", "maker"), [("days", "daily"), ("reasons", "flag")])
def test_a_table_that_holds_no_records_is_named_by_its_maker(
    name: str, kind: str, maker: str
) -> None:
    with pytest.raises(el.ConfigurationError, match=f"eyelog.{maker} returned: pass the frame"):
        CALLS[name][0](KINDS[kind])


def test_points_of_raw_records_are_not_drawn_as_days() -> None:
    with pytest.raises(
        el.ConfigurationError, match=r"several rows for .*: pass eyelog\.daily\(frame\)"
    ):
        el.plot_daily(FRAME, "stp")
    with pytest.raises(el.ConfigurationError, match="one Series of numbers"):
        el.plot_distribution(FRAME)  # type: ignore[arg-type]
