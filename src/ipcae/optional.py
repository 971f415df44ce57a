"""Imports of optional packages."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def optional(module: str, purpose: str, install: str = "ipcae[data]") -> ModuleType:
    """Import a package; if it is missing, raise an error that says how to install it.

    Examples
    --------
    >>> optional("json", "reading JSON").loads("[1]")
    [1]
    >>> optional("no_such_package", "reading scrolls", install="scrolls")
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: reading scrolls needs no_such_package: pip install 'scrolls'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        message = f"{purpose} needs {module}: pip install '{install}'"
        raise ModuleNotFoundError(message, name=module) from error


@cache
def has_triton() -> bool:
    """Return whether Triton is installed, to compile kernels for a GPU."""
    return find_spec("triton") is not None
