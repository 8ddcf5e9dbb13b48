"""The names an analyst types are pinned: a change of this list is a change of the contract."""

import inspect

import pytest

import eyelog as el

NAMES = [
    "AnswerError",
    "Application",
    "Archive",
    "ArchiveError",
    "AuthorizationError",
    "Client",
    "ConfigurationError",
    "EyelogError",
    "EyelogWarning",
    "FieldError",
    "Limits",
    "MixedLogsError",
    "NotCached",
    "RateLimited",
    "Reason",
    "Refused",
    "RequestError",
    "ServerFault",
    "Token",
    "Unreachable",
    "Zones",
    "attrition",
    "between",
    "compose_figure",
    "connect",
    "coverage",
    "daily",
    "episodes",
    "explain",
    "export_actigraphy",
    "fields",
    "flag",
    "gaps",
    "label",
    "look",
    "mask",
    "needed",
    "plot_actogram",
    "plot_agreement",
    "plot_attrition",
    "plot_baseline",
    "plot_bouts",
    "plot_change",
    "plot_cohort",
    "plot_daily",
    "plot_day",
    "plot_distribution",
    "plot_events",
    "plot_heatmap",
    "plot_overview",
    "plot_profile",
    "plot_quality",
    "plot_rate",
    "plot_rhythm",
    "plot_timeline",
    "plot_week",
    "plot_month",
    "intervals",
    "read",
    "read_answer",
    "read_events",
    "read_logger_csv",
    "readable",
    "register",
    "report",
    "report_cohort",
    "resample",
    "sample",
    "save_figure",
    "select",
    "serve",
    "simulate",
    "simulate_truth",
    "states",
    "weekly",
    "baseline",
    "blinks",
    "cohort",
    "compare",
    "eyes",
    "gait",
    "posture",
    "rhythm",
]

FUNCTIONS = [n for n in NAMES if inspect.isfunction(getattr(el, n, None))]


def test_the_public_names_are_exactly_these() -> None:
    assert sorted(el.__all__) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_can_be_reached(name: str) -> None:
    assert getattr(el, name) is not None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_takes_the_table_first_and_the_rest_by_keyword(name: str) -> None:
    parameters = list(inspect.signature(getattr(el, name)).parameters.values())
    positional = [p for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    limit = 3 if name in ("simulate", "simulate_truth") else 2
    assert len(positional) <= limit + (name == "between")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        el.nothing_like_this  # noqa: B018 - the look-up itself is what is tested
