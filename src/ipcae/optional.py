"""Packages that only some files need, imported when such a file turns up."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def optional(module: str, purpose: str, install: str = "ipcae[data]") -> ModuleType:
    """Import a package, or say what it was for and how to install it.

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
        sentence = f"{purpose} needs {module}: pip install '{install}'"
        raise ModuleNotFoundError(sentence, name=module) from error


@cache
def has_triton() -> bool:
    """Whether kernels can be compiled for a GPU here."""
    return find_spec("triton") is not None
