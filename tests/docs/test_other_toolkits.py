"""The page about other toolkits runs, and its numbers are the ones that its code returns."""

import re
from typing import Any

import numpy as np
import pytest

from support.paths import ROOT

PAGE = ROOT / "docs" / "other-toolkits.md"

# question: (format of plain pandas, format of eyelog)
ROWS = {
    "IV of head turns per hour": ("{iv_pandas:.3f}", "{iv.iv:.3f} ({iv.pairs} pairs)"),
    "IS of the same hours": ("{is_pandas:.3f}", "{stable.stability:.3f} (p = {stable.per_day})"),
    "IS of three identical days": ("{is_pandas_identical:.3f}", "{stable_identical.stability:.3f}"),
    "RA": ("{ra_pandas:.3f}", "refused: the night was not observed"),
    "SRI of rest": (
        "{sri_pandas:.1f}",
        "refused; {sri_of_pairs.sri:.1f} where the night was worn",
    ),
    "cosinor: p of the daily rhythm": ("{cosinor_pandas:.1e}", "{fit.p:.3f}"),
    "mean bout of wear, minutes": (
        "{bout_pandas:.1f}",
        "{bout_minutes:.1f} ({bouts.n} bouts, {bouts.censored} cut off)",
    ),
    "cadence, steps per minute": (
        "{cadence_pandas:.1f}",
        "{pace.pace_spm:.1f} (planted {planted_pace:.1f})",
    ),
    "blinks per minute": (
        "{rate_pandas:.1f}",
        "{rate.rate_per_min:.1f} (planted {planted_rate:.1f})",
    ),
    "mean tilt of the head, degrees": ("{tilt_pandas:.1f}", "{tilt_mean:.1f}"),
    "mean focus of ten minutes": ("{focus_pandas:.1f}", "{focus:.1f}"),
    "steps on Tuesday": ("{steps_pandas:.0f}", "{steps:.0f}"),
}


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """Run the code of the page, except the calls of the other toolkits."""
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(block, PAGE.name, "exec"), names)
    names["bout_minutes"] = names["bouts"].mean_bout * names["bouts"].epoch_min
    return names


def table() -> dict[str, list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {question: answers for question, *answers in cells}


def test_each_row_of_the_page_is_recomputed() -> None:
    assert list(table()) == list(ROWS)


@pytest.mark.parametrize("question", ROWS)
def test_the_page_shows_the_result_of_plain_pandas_and_of_eyelog(
    question: str, results: dict[str, Any]
) -> None:
    plain, _, ours = table()[question]
    assert [plain, ours] == [form.format(**results) for form in ROWS[question]]


def test_what_needs_the_night_is_refused_with_the_reason(results: dict[str, Any]) -> None:
    for name, value in (("ra", results["ra"].ra), ("sri", results["sri"].sri)):
        assert np.isnan(value)
        assert "night was not observed" in results[name].reason
    sums = results["sums"].rename("as of another toolkit")
    from_zeros = results["el"].rhythm.relative_amplitude(sums)
    assert np.isnan(from_zeros.ra)
    assert "a single value throughout" in from_zeros.reason


def test_the_numbers_in_the_text_are_those_of_the_week(results: dict[str, Any]) -> None:
    text = " ".join(PAGE.read_text().split())
    frame, turns, sums, bouts = (results[name] for name in ("frame", "turns", "sums", "bouts"))
    bins = frame["sc_fcs"].resample("10min").mean()
    corrected = results["el"].blinks.rate(frame, correct_noise=True)["rate_per_min"].iloc[0]
    for phrase in (
        f"{len(frame):,} records cover {len(frame) / 240:.0f} of {len(sums)} hours",
        f"`turns` has {len(turns)} hours, `sums` has {len(sums)}",
        f"the other {len(sums) - len(turns)} are",
        f"Only {results['iv'].pairs} of the {len(turns) - 1} differences",
        f"{results['rest'].isna().mean():.0%}".replace("%", " %") + " of the minutes are missing",
        f"Over the {results['sri_of_pairs'].pairs} pairs",
        f"{bouts.n} bouts, not {results['runs'].nunique()}",
        f"brings it to {corrected:.1f}",
        f"the linear mean is {results['tilt'].mean():.1f}",
        f"{(bins < 0).sum()} of {bins.notna().sum()} means",
        f"{results['variability'](turns.asfreq('1h')):.3f} of turns.asfreq",
        f"{results['variability'](sums):.3f} of sums",
    ):
        assert phrase in text
