"""Structural fingerprints of settings, functions and data.

Two values with the same fingerprint give the same training. Functions are compared by their code,
the values in their closures and the globals they use.
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.errors import InputError


class NotComparableError(InputError):
    """A value that cannot be compared by its structure."""


def fingerprint(value: Any) -> str:
    """Return a checksum of a value.

    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    digest = hashlib.sha256()
    for part in _parts(value, frozenset(), {}):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _parts(
    value: Any, around: frozenset[int], described: dict[int, tuple[int, object]]
) -> Iterator[bytes | memoryview]:
    """Yield the bytes that represent a value.

    ``around`` contains the objects that enclose it; ``described`` contains the earlier functions
    and classes with their positions, because each of them is represented only once.
    """
    yield type(value).__qualname__.encode()
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | Enum):
        yield repr(value).encode(errors="surrogatepass")
        return
    if isinstance(value, PurePath | torch.dtype | torch.device | np.dtype | np.generic):
        yield str(value).encode(errors="surrogatepass")
        return
    if isinstance(value, Tensor | np.ndarray):
        yield from _array_parts(value)
        return
    if isinstance(value, types.ModuleType | np.ufunc):
        yield value.__name__.encode()
        return
    if isinstance(value, types.BuiltinFunctionType):
        yield f"{value.__module__}.{value.__qualname__}".encode()
        return
    if id(value) in described:
        yield f"({described[id(value)][0]}".encode()
        return
    if id(value) in around:
        yield b"(around"
        return
    if isinstance(value, types.FunctionType | type):
        described[id(value)] = len(described), value
    for part in _members(value):
        yield from _parts(part, around | {id(value)}, described)
    yield b")"  # the end of the members


def _array_parts(value: Any) -> Iterator[bytes | memoryview]:
    yield f"{value.dtype} {tuple(value.shape)}".encode()
    if isinstance(value, Tensor):
        # As bytes: NumPy does not have all of PyTorch's types.
        flat = value.detach().cpu().contiguous().reshape(-1)
        yield flat.view(torch.uint8).numpy().data
    elif value.dtype.hasobject:
        yield repr(value.tolist()).encode(errors="surrogatepass")
    else:
        yield np.ascontiguousarray(value).reshape(-1).view(np.uint8).data


def _members(value: Any) -> Iterator[Any]:
    """Yield the members of an object, to be compared one by one."""
    if isinstance(value, list | tuple):
        yield from value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield item
    elif isinstance(value, set | frozenset):
        yield from sorted(value, key=repr)
    elif isinstance(value, types.CodeType):
        yield from (value.co_code, value.co_names, value.co_varnames, value.co_consts)
    elif isinstance(value, types.FunctionType):
        yield from (value.__module__, value.__qualname__, value.__code__)
        yield from (value.__defaults__, value.__kwdefaults__)
        yield from map(_content, value.__closure__ or ())
        yield from _globals_of(value)
    elif isinstance(value, types.MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, type):
        yield from _class_members(value)
    elif is_dataclass(value):
        yield type(value)
        yield from ((f.name, getattr(value, f.name)) for f in fields(value) if f.compare)
    elif hasattr(value, "__dict__"):
        yield type(value)
        yield vars(value)
    else:
        raise NotComparableError(
            f"A {type(value).__name__} cannot be compared between two fits: a checkpoint could be "
            "resumed with other settings. Use numbers, strings, dataclasses or functions, or fit "
            "without a checkpoint."
        )


def _content(cell: types.CellType) -> Any:
    """Return the value of a closure cell, or None if it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _globals_of(function: types.FunctionType) -> Iterator[Any]:
    """Yield the globals that a function uses, by name."""
    root = (function.__module__ or "").partition(".")[0]
    for name in _names_in(function.__code__):
        if name in function.__globals__:
            yield name
            yield _global_value(function.__globals__[name], root)


def _names_in(code: types.CodeType) -> list[str]:
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    names = [*code.co_names, *(name for each in inner for name in _names_in(each))]
    return list(dict.fromkeys(names))


def _global_value(value: Any, root: str) -> Any:
    """Return the value of a global, or its name if it is defined in another package."""
    module = getattr(value, "__module__", None) or ""
    if isinstance(value, type | types.FunctionType) and module.partition(".")[0] != root:
        return f"{module}.{value.__qualname__}"
    return value


def _class_members(cls: type) -> Iterator[Any]:
    yield f"{cls.__module__}.{cls.__qualname__}"
    root = cls.__module__.partition(".")[0]
    # The name identifies a class of an installed package.
    if root in ("builtins", "ipcae", "torch", "numpy", "sklearn"):
        return
    yield from (_global_value(base, root) for base in cls.__bases__)
    for name, member in sorted(vars(cls).items()):
        content = getattr(member, "__func__", member)  # of a static method or class method
        if isinstance(content, property):
            content = content.fget, content.fset
        elif isinstance(content, functools.cached_property):
            content = content.func
        elif not isinstance(content, types.FunctionType) and _is_bookkeeping(name, content):
            continue
        yield name
        yield content


def _is_bookkeeping(name: str, member: object) -> bool:
    """Return whether Python created a member of a class that is not a function."""
    slot = isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType)
    return slot or name == "_abc_impl" or (name.startswith("__") and name.endswith("__"))
