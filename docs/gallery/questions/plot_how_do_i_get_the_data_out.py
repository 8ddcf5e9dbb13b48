"""
How do I get the data out?
==========================

Tables are pandas DataFrames, so they can be saved in every format of pandas; other toolkits for
activity read counts per epoch. The figure and the file show the same week.
"""

from pathlib import Path
from tempfile import mkdtemp

import eyelog as el

frame = el.sample()
path = el.export_actigraphy(frame, Path(mkdtemp()) / "steps.csv", field="stp", epoch="1min")
print(*path.read_text().splitlines()[:5], sep="\n")
ax = el.plot_heatmap(frame, "stp")
