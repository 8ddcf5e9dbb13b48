"""The figures of a report, by their public names: one that is not there yet says so."""

from collections.abc import Callable
from typing import Any

import eyelog
from eyelog.reports.parts import Empty


def _figure(name: str) -> Callable[..., Any]:
    def draw(*args: Any, **kwargs: Any) -> Any:
        if name not in eyelog.__all__:
            raise Empty(f"there is no {name} yet")
        return getattr(eyelog, name)(*args, **kwargs)

    return draw


plot_agreement = _figure("plot_agreement")
plot_attrition = _figure("plot_attrition")
plot_baseline = _figure("plot_baseline")
plot_bouts = _figure("plot_bouts")
plot_daily = _figure("plot_daily")
plot_distribution = _figure("plot_distribution")
plot_overview = _figure("plot_overview")
plot_profile = _figure("plot_profile")
plot_quality = _figure("plot_quality")
plot_rhythm = _figure("plot_rhythm")
