"""The versions of the package and of its dependencies."""

from __future__ import annotations

import platform
from importlib import metadata

try:
    __version__ = metadata.version("ipcae")
except metadata.PackageNotFoundError:  # sources that are not installed
    __version__ = "0.1.0"


def versions() -> dict[str, str]:
    """Return the versions of ipcae, Python and the numerical dependencies."""
    names = ("torch", "numpy", "scikit-learn", "scipy")
    installed = {name: metadata.version(name) for name in names}
    return {"ipcae": __version__, "python": platform.python_version(), **installed}
