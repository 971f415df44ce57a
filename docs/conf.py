"""Sphinx configuration: ``make docs`` builds the site into docs/_build/html."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ipcae

sys.path.append(str(Path(__file__).parent))  # for its extensions

project = "ipcae"
author = "The ipcae developers"
copyright = "The ipcae developers"
version = release = ipcae.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",
    "repository_links",
    "see_also",
    "sklearn_docstrings",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "auto_examples/**/*.ipynb", "auto_examples/**/*.py"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = False
show_warning_types = True

# Pages are written in Markdown, formulas between dollar signs.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# API: one page per name, written from its docstring.
autosummary_generate = True
autodoc_default_options = {"members": True}
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# The gallery: every example runs, and one that raises fails the build.
sphinx_gallery_conf: dict[str, Any] = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 3600,  # the times of whichever machine built the site say little
    "show_signature": False,
    "download_all_examples": False,
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "api/examples",
    "doc_module": ("ipcae",),
}

html_math_renderer = "mathml"
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "ipcae"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "ipcae"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
}
html_sidebars = {"getting-started": [], "glossary": [], "changelog": [], "faq": []}
