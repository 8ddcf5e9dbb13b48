"""What all figures share: the Axes they draw on, and what they refuse."""

import pytest
from matplotlib import pyplot as plt

import eyelog as el
from support.figures import counted_minutes


@pytest.mark.parametrize(
    ("draw", "error", "says"),
    [
        (lambda f: el.plot_heatmap(f, "nothing"), el.FieldError, "nothing"),
        (lambda f: el.plot_timeline(f, fields=["nothing"]), el.FieldError, "nothing"),
        (lambda f: el.plot_daily(f, "steps"), el.FieldError, "steps"),
        (lambda f: el.plot_heatmap(f.iloc[:0], "stp_mid"), el.ConfigurationError, "no rows"),
        (lambda f: el.plot_timeline(f.tz_localize(None)), el.ConfigurationError, "aware"),
        (lambda f: el.plot_quality(f.tz_localize(None)), el.ConfigurationError, "aware"),
    ],
)
def test_a_figure_says_what_it_lacks(draw, error, says) -> None:
    with pytest.raises(error, match=says):
        draw(counted_minutes(["2026-10-19"]))


def test_a_figure_draws_on_the_axes_it_is_given() -> None:
    ax = plt.subplots()[1]
    assert el.plot_heatmap(counted_minutes(["2026-10-19"]), "stp_mid", ax=ax) is ax
