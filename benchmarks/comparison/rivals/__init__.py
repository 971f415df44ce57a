"""Rivals through their own packages, each in a file with ``select(X, y, n_selected, seed)``.

A rival whose package is not installed is not offered.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

PACKAGES = {
    "lassonet-package": ("lassonet", "lassonet_package"),
    "stg-package": ("stg", "stg_package"),
    "mrmr": ("mrmr", "mrmr_package"),
    "boruta": ("boruta", "boruta_package"),
    "skglm": ("skglm", "skglm_package"),
    "fastcan": ("fastcan", "fastcan_package"),
}
RIVALS: dict[str, ModuleType] = {
    name: import_module(f"comparison.rivals.{module}")
    for name, (package, module) in PACKAGES.items()
    if find_spec(package) is not None and find_spec(f"comparison.rivals.{module}") is not None
}
