"""How Sphinx builds the documentation; `make docs` does it, with warnings as errors."""

import re
from typing import Any

from classmark import __version__

project = "classmark"
author = "The classmark developers"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build", "gallery/*.py", "gallery/*.ipynb", "gallery/*.py.md5"]
myst_heading_anchors = 3

# The examples run when the pages are built, and one that fails fails the build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 600,
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
}

html_theme = "furo"
html_title = f"classmark {release}"
html_static_path = ["_static"]
html_show_sphinx = False

# The docstrings write names between single backticks.
default_role = "code"
napoleon_google_docstring = False
napoleon_use_rtype = False
# Types such as `(n_features_in_,)` would otherwise be read as references.
napoleon_preprocess_types = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "show-inheritance": True}

CONTRACT = {
    "as_own",
    "chosen_decision",
    "contributions_to",
    "held_out_ranks",
    "learn",
    "memory_to_learn",
    "fits_of_quick_decision",
    "scores_of_quick_decision",
    "work_of_round",
    "probabilities_of",
    "quick_decision",
    "score_rows",
    "work_to_learn",
}
"""The methods that a classifier writes for `HierarchicalClassifier`, and that users do not call."""


def skip_routing(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the methods that scikit-learn adds to every estimator to route metadata."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def skip_contract(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what a classifier writes for the base, where it is described."""
    return True if name in CONTRACT and value.__module__ != "classmark.base" else None


def escape_sizes(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Leave sizes of sets such as |true|, which would otherwise be read as substitutions."""
    lines[:] = [re.sub(r"\|(\w+|∩)\|", r"\\|\1\\|", line) for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-skip-member", skip_routing)
    app.connect("autodoc-skip-member", skip_contract)
    app.connect("autodoc-process-docstring", escape_sizes)
