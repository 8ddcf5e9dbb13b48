"""The recipe of a figure: what it holds, and that JSON can hold it."""

import json

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import eyelog as el
from eyelog.figures.recipe import attach, recipe_of


def test_a_table_stands_as_what_it_covers_and_where_it_comes_from() -> None:
    frame = el.sample("standard_mode_logs")
    ax = el.plot_quality(el.flag(frame))
    (call,) = recipe_of(ax)["figures"]
    table = call["arguments"]["reasons"]
    assert call["figure"] == "plot_quality"
    assert table["rows"] == len(frame)
    assert table["first"] == frame.index[0].isoformat()
    assert [step["step"] for step in table["provenance"]["history"]] == ["simulate", "flag"]


def test_a_figure_has_the_recipe_of_each_call_once() -> None:
    figure = Figure()
    top, bottom, other = figure.subplots(3)
    attach(np.array([top, bottom]), "plot_a", {"n": 1})
    attach(other, "plot_b", {})
    assert [call["figure"] for call in recipe_of(figure)["figures"]] == ["plot_a", "plot_b"]


def test_json_can_hold_every_argument() -> None:
    ax = Figure().subplots()
    arguments = {
        "stamp": pd.Timestamp("2025-01-06", tz="UTC"),
        "number": np.float64(2.5),
        "nothing": float("nan"),
        "names": ("a", "b"),
        "typical": el.baseline.typical_value(pd.Series([1.0, 2.0]), method="median"),
        "function": len,
        "ax": ax,
    }
    attach(ax, "plot_a", arguments)
    held = json.loads(json.dumps(recipe_of(ax)))["figures"][0]["arguments"]
    assert held["stamp"] == "2025-01-06T00:00:00+00:00"
    assert (held["number"], held["nothing"], held["names"]) == (2.5, "nan", ["a", "b"])
    assert "ax" not in held


def test_the_versions_are_named() -> None:
    versions = recipe_of(Figure())["versions"]
    assert versions["eyelog"] == el.__version__
    assert {"python", "matplotlib", "numpy", "pandas"} <= set(versions)
