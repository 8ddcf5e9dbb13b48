"""Sphinx: how the documentation site is built. `make docs` builds it, offline."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import matplotlib as mpl
from sphinx.application import Sphinx

import eyelog

mpl.use("agg")

project = "eyelog"
author = "The eyelog maintainers"
copyright = "The eyelog maintainers, MIT licence"  # noqa: A001 - Sphinx reads this name
version = release = eyelog.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "eyelog_docs.results",
    "eyelog_docs.written",
    "eyelog_docs.example_report",
]
exclude_patterns = ["_build", "gallery", "_ext", "_templates"]
templates_path = ["_templates"]
nitpicky = True
needs_sphinx = "8.1"
# Names in single backticks link to the page of the name, where it has one.
default_role = "autolink"
# What other packages document is not linked: the site needs no network, when it is built or read.
nitpick_ignore_regex = [(r"py:.*", r"(?!eyelog\.).*")]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "figures",
    "filename_pattern": r"plot_",
    "ignore_pattern": r"make_sheet\.py",
    # By the question that a figure answers.
    "subsection_order": [
        f"gallery/{name}" for name in ("at_a_glance", "trust", "usual", "change", "questions")
    ],
    "within_subsection_order": "eyelog_docs.gallery_order.OverviewFirst",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "image_srcset": ["2x"],
    "image_scrapers": ("eyelog_docs.thumbnails.scraper",),
    "thumbnail_size": (840, 640),
    "default_thumb_file": None,
    "plot_gallery": True,
    "notebook_images": False,
    "remove_config_comments": True,
    "backreferences_dir": None,
}

html_theme = "furo"
html_title = f"eyelog {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#8ec7ee", "color-brand-content": "#8ec7ee"},
}


def _without_tags(app: Sphinx, page: str, content: list[str]) -> None:  # noqa: ARG001 (Sphinx's shape)
    """Take out the lists of tags, which no script has: a page of two sections would have two."""
    if page.startswith("figures/"):
        tags = "<div id='sg-tag-list' class='sphx-glr-tag-list'></div>"
        content[0] = content[0].replace(tags, "<!-- no tags -->")


def setup(app: Sphinx) -> None:
    """Register what is too small for an extension."""
    app.connect("source-read", _without_tags)
