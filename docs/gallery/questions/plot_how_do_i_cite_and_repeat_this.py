"""
How do I cite and repeat this?
==============================

A figure that is saved carries its recipe: the versions, the arguments, and what was done to the
records before they were drawn.
"""

from pathlib import Path
from tempfile import mkdtemp

from PIL import Image

import eyelog as el

ax = el.plot_daily(el.daily(el.sample()), "steps")
path = Path(mkdtemp()) / "steps.png"
el.save_figure(ax, path, width="single")
print(Image.open(path).text["Description"][:300])
