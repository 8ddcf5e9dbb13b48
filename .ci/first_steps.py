"""Do with an installed eyelog what an analyst does first: from records to a report."""

import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl

import eyelog as el

PACKAGES = ("pandas", "numpy", "pyarrow", "matplotlib", "scipy")


def main() -> None:
    assert el.__version__ == version("eyelog")
    assert "site-packages" in el.__file__, f"{el.__file__} is not the installed one"
    mpl.use("Agg")
    frame = el.sample()
    masked = el.mask(frame, el.flag(frame))
    days = el.daily(masked)
    assert days.index.dtype == "datetime64[us]"
    assert masked.index.unit == "us"
    with TemporaryDirectory() as folder:
        figure = Path(folder) / "figure.png"
        el.save_figure(el.plot_timeline(masked), figure)
        report = el.report(frame, Path(folder) / "report.html")
        sizes = figure.stat().st_size, report.stat().st_size
    assert min(sizes) > 20_000
    found = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    print(f"sample, flag, mask, daily, plot, report: {len(days)} days with {found}")


if __name__ == "__main__":
    sys.exit(main())
