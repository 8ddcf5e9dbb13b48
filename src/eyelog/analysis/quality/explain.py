"""How many values of each field have each reason against them."""

import numpy as np
import pandas as pd

from eyelog.analysis.quality.reasons import Reason
from eyelog.errors import ConfigurationError
from eyelog.frame import require_frame
from eyelog.provenance import derived

__all__ = ["explain"]


def explain(reasons: pd.DataFrame) -> pd.DataFrame:
    """Return how many values of each field have each reason against them.

    Parameters
    ----------
    reasons : DataFrame of integers
        As from `eyelog.flag`.

    Returns
    -------
    DataFrame
        Index ``field``. Columns: int64 ``n`` (values judged), one int64 column per `Reason`, named
        after it (a value can have several reasons), int64 ``masked`` (values that `eyelog.mask`
        removes by default: those with any reason but SATURATED) and float64 ``masked_share`` (of
        ``n``; missing if ``n`` is 0).

    Raises
    ------
    ConfigurationError
        If the values are not the reasons of `eyelog.flag`.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.explain(el.flag(el.sample()))
    >>> bool(table.loc["sc_fcs", "SENTINEL"] > 0), int(table.loc["isl", "UNWORN"])
    (True, 0)
    """
    require_frame(reasons, what="explain", wanted="a table of reasons")
    if any(getattr(dtype, "kind", "O") not in "iu" for dtype in reasons.dtypes):
        raise ConfigurationError(
            "explain takes a table of reasons, which are integers, not values: type"
            " explain(flag(frame))"
        )
    codes = np.arange(2 * max(Reason))
    carries = {str(reason.name): (codes & reason) != 0 for reason in Reason}
    lost = (codes & ~int(Reason.SATURATED)) != 0
    n = len(reasons)
    rows = []
    for i in range(reasons.shape[1]):
        values = reasons.iloc[:, i].to_numpy()
        if n and not 0 <= values.min() <= values.max() < len(codes):
            raise ConfigurationError(
                f"column {reasons.columns[i]!r} holds numbers that are not reasons: type"
                " explain(flag(frame))"
            )
        counts = np.bincount(values, minlength=len(codes))
        row = {"n": n} | {name: int(counts[c].sum()) for name, c in carries.items()}
        rows.append(row | {"masked": int(counts[lost].sum())})
    columns = ["n", *carries, "masked"]
    table = pd.DataFrame(rows, index=pd.Index(reasons.columns, name="field"), columns=columns)
    table = table.astype("int64")
    table["masked_share"] = table["masked"] / n if n else np.nan
    return derived(table, reasons, "explain")
