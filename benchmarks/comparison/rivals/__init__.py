"""Methods of other packages, each in a file with ``select(X, y, n_selected, seed)``.

A rival is imported when it is used. None of the packages is needed otherwise.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

RIVALS = {
    "lassonet-package": "lassonet_package",
    "stg-package": "stg_package",
    "mrmr": "mrmr_package",
    "boruta": "boruta_package",
    "skglm": "skglm_package",
    "fastcan": "fastcan_package",
    "shap": "shap_package",
}
"""The modules of the rivals by name. PyPI: lassonet, stg (needs lifelines), mrmr_selection, Boruta,
skglm, fastcan, shap."""


def rival(name: str) -> ModuleType:
    """Import the module of a rival; fail if its package is not installed."""
    return import_module(f"comparison.rivals.{RIVALS[name]}")
