"""The recipe of a figure: how it was drawn and from what, kept with its Axes.

`attach` puts the recipe of one call on the Axes that it returned, as the attribute
``eyelog_recipe``; `recipe_of` gathers the recipes of an Axes or a whole figure. It contains no
clock time, so equal calls on equal tables have equal recipes.
"""

import importlib.metadata
import platform
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import eyelog
from eyelog.frame import KEY

ATTRIBUTE: Final = "eyelog_recipe"
PACKAGES: Final = ("matplotlib", "numpy", "pandas")


def attach(made: Iterable[Axes], name: str, arguments: Mapping[str, Any]) -> None:
    """Attach the recipe of one call to the Axes that it returned."""
    recipe = {
        "figure": name,
        "arguments": {key: _plain(value) for key, value in arguments.items() if key != "ax"},
    }
    for ax in made:
        # If one figure function calls another, the outer call is the one that the user typed.
        setattr(ax, ATTRIBUTE, recipe)


def recipe_of(drawn: Axes | Figure) -> dict[str, Any]:
    """Return the recipe of an Axes or a figure.

    Returns
    -------
    dict
        JSON-safe: ``versions`` of eyelog, Python and the packages that draw, and ``figures``, one
        entry per call: ``figure`` (the function) and ``arguments``, in which a table is given by
        its number of rows, its columns, its first and last stamp, and its provenance.
    """
    many = drawn.axes if isinstance(drawn, Figure) else [drawn]
    recipes: list[Any] = []
    for ax in many:
        attached = getattr(ax, ATTRIBUTE, None)
        if attached is not None and attached not in recipes:
            recipes.append(attached)
    versions = {"eyelog": eyelog.__version__, "python": platform.python_version()}
    versions |= {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"versions": versions, "figures": recipes}


def _plain(value: Any) -> Any:
    """Return an argument in JSON-safe form; a table as its extent and provenance."""
    if isinstance(value, pd.DataFrame | pd.Series):
        return _table(value)
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, list | tuple | set | frozenset | np.ndarray | pd.Index):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    return type(value).__name__


def _table(table: pd.DataFrame | pd.Series) -> dict[str, Any]:
    columns = [table.name] if isinstance(table, pd.Series) else list(table.columns)
    out: dict[str, Any] = {"rows": len(table), "columns": [str(name) for name in columns]}
    index = table.index
    if isinstance(index, pd.MultiIndex):
        index = index.get_level_values(-1)
    if len(index) and isinstance(index, pd.DatetimeIndex):
        out |= {"first": index.min().isoformat(), "last": index.max().isoformat()}
        out |= {"tz": str(index.tz)}
    if KEY in table.attrs:
        out["provenance"] = _plain(table.attrs[KEY])
    return out
