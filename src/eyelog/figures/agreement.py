"""How well two measurements of the same quantity agree, pair by pair (Bland and Altman)."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from eyelog.catalogue import COMPUTED_DATA
from eyelog.errors import ConfigurationError, counted
from eyelog.figures.axes import axes, legend, line, patch, plot_function, set_title
from eyelog.figures.labels import title_of
from eyelog.figures.marks import colour_bar, value_axis, value_label
from eyelog.figures.named import last_step, meaning_of_field, shades
from eyelog.figures.style import COLOURS, sequential
from eyelog.frame import require, require_frame
from eyelog.judge.arrays import Floats, numbers
from eyelog.measure.sheet import decimals, number_text
from eyelog.series.agreement import (
    PAIRS,
    AgreementLimits,
    agreement,
    minute_pairs,
)

# More points than this hide one another: colours then show how many pairs are where.
MOST_POINTS: Final = 500
MOSTLY_COUNTS: Final = 0.5
CELLS: Final = (60, 40)
NAMES: Final = ("bias", "low", "high")


@plot_function
def plot_agreement(
    pairs: pd.DataFrame,
    limits: pd.DataFrame | AgreementLimits | pd.Series,
    *,
    quantity: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the difference of each pair against its mean, with bias and limits of agreement.

    Parameters
    ----------
    pairs : DataFrame
        A frame of the 15-second log; or pairs: the result of `eyelog.compare.minute_pairs`, or any
        table with the columns ``mean`` and ``difference``.
    limits : DataFrame, AgreementLimits or Series
        With a frame, that of the 60-second log of the same wearer and time. With pairs, the result
        of `eyelog.compare.limits_of_agreement` for them, or the row of `eyelog.compare.agreement`
        for the same quantity.
    quantity : str, optional
        The quantity of `eyelog.compare.agreement` to draw, such as ``"steps"``: needed with two
        frames, and the words on the axes with pairs. Default: the row that `limits` is, or that of
        which the pairs are.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    Axes
        With one point for each pair; for more than 500 pairs, one mesh that counts them, whose
        lightest colour is one pair. The lines have the labels ``_bias``, ``_low`` and ``_high``;
        the bands of their own 95 % intervals ``_bias interval`` and so on.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If there is no pair, no such quantity, or `limits` is none of these.

    Notes
    -----
    Bland & Altman (1986), Lancet i:307; with intervals of the limits, as in Bland & Altman (1999),
    Stat Methods Med Res 8:135.

    Examples
    --------
    >>> import eyelog as el
    >>> fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    >>> ax = el.plot_agreement(fifteen, sixty, quantity="tilt_fore_aft")
    >>> ax.get_xlabel()
    'Tilt fore-aft, mean of both (deg)'
    """
    require_frame(pairs, what="plot_agreement", wanted="a table of eyelog.compare.minute_pairs")
    if isinstance(limits, pd.DataFrame):
        pairs, limits = _compared(pairs, limits, quantity)
    require(pairs, ["mean", "difference"], purpose="plot_agreement")
    stated = _stated(limits)
    means, differences = numbers(pairs["mean"]), numbers(pairs["difference"])
    both = np.isfinite(means) & np.isfinite(differences)
    means, differences = means[both], differences[both]
    if not len(means):
        raise ConfigurationError("plot_agreement has nothing to draw: there are no pairs")
    ax = axes(ax, height_mm=66.0)
    wanted = _quantity(pairs, limits, quantity)
    name, unit = _named(wanted)
    field = PAIRS[wanted].field if wanted in PAIRS else None
    meaning = (meaning_of_field(field.name, COMPUTED_DATA) if field else None) or "usable"
    entries = _pairs(ax, means, differences, meaning)
    entries += _limits(ax, stated, unit)
    of_unit = f" ({unit})" if unit else ""
    sides = ("15-second minus 60-second log", "mean of both")
    value_label(ax, f"{sides[0] if 'fifteen' in pairs else 'Difference'}{of_unit}")
    ax.set_xlabel(f"{name}, {sides[1]}{of_unit}" if name else f"Mean of both{of_unit}")
    value_axis(ax.yaxis)
    value_axis(ax.xaxis, most=8)
    legend(ax, entries)
    set_title(ax, title_of(pairs), title)
    return ax


def _compared(
    fifteen: pd.DataFrame, sixty: pd.DataFrame, quantity: str | None
) -> tuple[pd.DataFrame, pd.Series]:
    """Return the pairs of two frames, and the row of their agreement."""
    if quantity is None:
        raise ConfigurationError(
            "plot_agreement of two logs draws one quantity of eyelog.compare.agreement: pass"
            " quantity='steps'"
        )
    pairs = minute_pairs(fifteen, sixty, quantity=quantity)
    return pairs, cast(pd.Series, agreement(fifteen, sixty).loc[quantity])


def _stated(limits: Any) -> dict[str, float]:
    """Return the bias, the limits and their intervals by name."""
    names = [name + end for name in NAMES for end in ("", "_low", "_high")]
    if isinstance(limits, AgreementLimits):
        given = limits._asdict()
    elif isinstance(limits, pd.Series) and set(names) <= set(limits.index):
        given = {str(name): value for name, value in limits.items()}
    else:
        raise ConfigurationError(
            "limits must be the result of eyelog.compare.limits_of_agreement, or a row of"
            f" eyelog.compare.agreement, such as table.loc['steps'], not {type(limits).__name__}"
        )
    return {name: float(given[name]) for name in names}


def _pairs(ax: Axes, means: Floats, differences: Floats, meaning: str) -> list[Any]:
    if len(means) <= MOST_POINTS:
        of_point = shades(meaning)[0]
        ax.scatter(means, differences, s=7, color=COLOURS[of_point], linewidths=0, zorder=3)
        return [line(counted(len(means), "pair"), of_point, marker="o", linestyle="")]
    counts, x, y = np.histogram2d(
        means, differences, bins=[_edges(means, 0), _edges(differences, 1)]
    )
    colours = sequential(meaning).with_extremes(bad="none")
    mesh = ax.pcolormesh(
        x,
        y,
        np.ma.masked_equal(counts.T, 0),
        cmap=colours,
        norm=LogNorm(1, max(float(counts.max()), 2.0)),
        rasterized=True,
    )
    ax.margins(0.03)
    colour_bar(ax, mesh, "Pairs")
    entry = patch(counted(len(means), "pair"), meaning)
    entry[1].set(facecolor=colours(0.5))
    return [entry]


def _edges(values: Floats, axis: int) -> Floats:
    """Return the edges of the cells, which have a whole width if the values are counts."""
    low, high = float(values.min()), float(values.max())
    step = (high - low) / CELLS[axis]
    # Means of two counts are multiples of a half, and each difference has every other one: cells
    # narrower than 1 would show a chessboard. A minute that lacks seconds has scaled counts, which
    # are not whole.
    if (values * 2 == np.round(values * 2)).mean() >= MOSTLY_COUNTS:
        step = max(np.ceil(step), 1.0)
    if step == 0:
        step = 1.0
    return np.arange(low - step / 2, high + step, step)


def _limits(ax: Axes, stated: dict[str, float], unit: str) -> list[Any]:
    if not np.isfinite(stated["bias"]):
        return [line("too few pairs for limits of agreement", "reference", linewidth=0)]
    for name in NAMES:
        colour = COLOURS["reference"]
        band = ax.axhspan(
            stated[f"{name}_low"], stated[f"{name}_high"], color=colour, alpha=0.18, linewidth=0
        )
        band.set_label(f"_{name} interval")
        drawn = ax.axhline(
            stated[name], color=colour, linewidth=1.2, linestyle="-" if name == "bias" else "--"
        )
        drawn.set_label(f"_{name}")
    ax.axhline(0, color=COLOURS["axis"], linewidth=0.5, zorder=0.5).set_label("_zero")
    # As many decimals as the limits need: a bias of a hundredth of them does not count.
    ends = np.array([stated["low"], stated["high"]])
    places = decimals(ends, None)
    bias, low, high = (_text(stated[name], places) for name in NAMES)
    entries = [
        line(f"bias {bias} {unit}".rstrip(), "reference"),
        line(f"95 % limits {low} to {high} {unit}".rstrip(), "reference", linestyle="--"),
    ]
    if np.isfinite([stated[f"{name}_low"] for name in NAMES]).any():
        entries.append(patch("their 95 % intervals", "reference", alpha=0.18))
    return entries


def _text(value: float, places: int) -> str:
    """Return a number with the given decimals; what rounds to 0 has no sign."""
    text = number_text(round(value, places) + 0.0, places)
    return text.replace("-", "\N{MINUS SIGN}")


def _quantity(pairs: pd.DataFrame, limits: Any, quantity: str | None) -> Any:
    """Return the quantity: as given, that of a row of limits, or the one that the pairs state."""
    if quantity is None:
        return getattr(limits, "name", None) or last_step(pairs).get("quantity")
    if quantity not in PAIRS:
        raise ConfigurationError(
            f"plot_agreement: eyelog.compare.agreement has no quantity {quantity!r}"
        )
    return quantity


def _named(quantity: object) -> tuple[str, str]:
    """Return the words for the quantity and its unit, empty if they are not known."""
    pair = PAIRS.get(str(quantity))
    words, unit = (pair.label, pair.unit) if pair else ("", "")
    return words, {"count/min": "per min", "s/min": "s per min"}.get(unit, unit)
