# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of Sphinx for the copy of the documents that docs/build.sh prepares; STEEP_VERSION comes from there."""
import os

project = "Steep"
author = "the authors of Steep"
copyright = author  # noqa: A001
version = release = os.environ["STEEP_VERSION"]
extensions = ["myst_parser", "breathe"]
source_suffix = [".md"]
myst_heading_anchors = 4
breathe_projects = {"steep": "../xml"}
breathe_default_project = "steep"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
highlight_language = "none"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_title = f"Steep {release}"
