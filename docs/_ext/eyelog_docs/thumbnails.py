"""Sphinx-gallery: pictures of figures, and thumbnails in which words can be read.

The thumbnail is the first figure of a script as it is for one column of a journal, cut off below
where it is higher than the place of a thumbnail; the page shows each figure as the script draws it.
"""

from pathlib import Path
from typing import Any, Final

from matplotlib import pyplot as plt
from PIL import Image
from sphinx_gallery.scrapers import matplotlib_scraper

import eyelog as el

SIZE: Final = (840, 640)  # the pixels of a thumbnail, twice as many as on a screen


def scraper(block: Any, variables: dict[str, Any], gallery: dict[str, Any], **options: Any) -> str:
    """Return the text that shows the figures of a block of a script, and save them."""
    figures = [plt.figure(number) for number in plt.get_fignums()]
    paths = variables["image_path_iterator"]
    if figures and not len(paths):  # the first picture of a script is its thumbnail
        path = Path(next(paths))
        path.parent.mkdir(parents=True, exist_ok=True)
        el.save_figure(figures[0], path, width="single")
        with Image.open(path) as whole:
            highest = round(whole.width * SIZE[1] / SIZE[0])
            seen = whole.crop((0, 0, whole.width, min(whole.height, highest)))
        seen.save(path)
    shown: str = matplotlib_scraper(block, variables, gallery, **options)
    return shown
