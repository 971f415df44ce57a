"""Conversion of Python values to JSON and arrays, and back.

JSON values are stored directly. Other values are objects whose first key is their type:
``{"tuple": [1, 2]}``, ``{"kind": "Huber", "fields": {"delta": 1.0}}``, or
``{"array": "importance_"}`` for an array that is stored separately under this name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.errors import InputError
from ipcae.files.kinds import PARTS, is_part
from ipcae.tables.encodings.cells import object_array

Arrays = dict[str, NDArray[Any]]

_NUMBERS = {np.dtype(kind) for kind in ("?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d")}
_MOST_LEVELS = 100  # of lists and dicts within each other
# Limits on the memory of decoded strings. A wider dtype is reduced to the longest string.
_LONGEST_TEXT = 256
# If a fixed-width array would exceed the size in the file by this factor, use an object array.
_MOST_TIMES = 128


class NotStorableError(InputError):
    """A value that cannot be stored in a file."""


def encode(value: Any, name: str, arrays: Arrays) -> Any:
    """Convert a value to JSON; arrays are added to ``arrays``, with names derived from ``name``.

    >>> arrays = {}
    >>> encode((1, np.zeros(2)), "pair", arrays)
    {'tuple': [1, {'array': 'pair.1'}]}
    >>> arrays
    {'pair.1': array([0., 0.])}
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) in (list, tuple):
        items = [encode(item, f"{name}.{i}", arrays) for i, item in enumerate(value)]
        return items if type(value) is list else {"tuple": items}
    if type(value) is dict and all(type(key) is str for key in value):
        return {"dict": _encode_all(value, name, arrays)}
    if is_part(value):
        content = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        return {"kind": type(value).__name__, "fields": _encode_all(content, name, arrays)}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, np.random.RandomState):
        return {"random_state": encode(value.get_state(legacy=False), name, arrays)}
    if isinstance(value, Tensor):
        return {"tensor": _store(_as_numpy(value), name, arrays)}
    if isinstance(value, np.generic):
        return {"scalar": encode(np.asarray(value), name, arrays)}
    if type(value) is np.ndarray:
        return _encode_array(value, name, arrays)
    raise NotStorableError(f"{_short(value)} is neither a setting nor an array")


def _encode_all(content: dict[str, Any], name: str, arrays: Arrays) -> dict[str, Any]:
    return {key: encode(value, f"{name}.{key}", arrays) for key, value in content.items()}


def _encode_array(value: NDArray[Any], name: str, arrays: Arrays) -> dict[str, Any]:
    if value.dtype.newbyteorder("=") in _NUMBERS:
        return {"array": _store(value.astype(value.dtype.newbyteorder("=")), name, arrays)}
    if value.ndim == 1 and value.dtype.kind in "UO":
        length = value.dtype.itemsize // 4 if value.dtype.kind == "U" else None
        items = value.tolist()
        if all(type(item) is str for item in items):
            texts = list(dict.fromkeys(items))
            number = {text: i for i, text in enumerate(texts)}
            index = np.array([number[item] for item in items], dtype=np.int64)
            return {"texts": texts, "index": _store(index, name, arrays), "length": length}
        if all(item is None or type(item) in (bool, int, float, str) for item in items):
            return {"objects": [encode(item, name, arrays) for item in items]}
    raise NotStorableError(f"an array of {value.dtype} is neither numbers nor text")


def _store(value: NDArray[Any], name: str, arrays: Arrays) -> str:
    arrays[name] = np.ascontiguousarray(value).reshape(value.shape)
    return name


def _as_numpy(value: Tensor) -> NDArray[Any]:
    try:
        array: NDArray[Any] = value.detach().cpu().numpy()
    except TypeError as error:
        raise NotStorableError(f"a tensor of {value.dtype} is not supported") from error
    if array.dtype not in _NUMBERS:
        raise NotStorableError(f"a tensor of {value.dtype} is not supported")
    return array


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def require_shallow(value: Any) -> None:
    """Raise an error if lists and dicts are nested deeper than any that :func:`encode` writes.

    >>> require_shallow([[1], {"tuple": []}])
    """
    containers = [value]
    for _ in range(_MOST_LEVELS):
        items = [each.values() if isinstance(each, dict) else each for each in containers]
        containers = [item for each in items for item in each if isinstance(item, list | dict)]
        if not containers:
            return
    raise ValueError(f"values are nested in more than {_MOST_LEVELS} levels")


def decode(value: Any, arrays: Arrays) -> Any:
    """Return the value that :func:`encode` converted, or raise an error if it is invalid.

    >>> decode({"tuple": [1, {"kind": "Huber", "fields": {"delta": 2.0}}]}, {})
    (1, Huber(delta=2.0))
    """
    if isinstance(value, list):
        return [decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), None)
    if tag not in _DECODERS:
        raise ValueError(f"unknown type {tag!r}")
    return _DECODERS[tag](value, arrays)


def _decode_kind(value: dict[str, Any], arrays: Arrays) -> Any:
    if value["kind"] not in PARTS:
        raise ValueError(f"unknown class {value['kind']!r}")
    content = {key: decode(item, arrays) for key, item in value["fields"].items()}
    return PARTS[value["kind"]](**content)


def _decode_texts(value: dict[str, Any], arrays: Arrays) -> NDArray[Any]:
    texts, length = value["texts"], value["length"]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a list of strings contains another type")
    index = _take(arrays, value["index"])
    longest = max(map(len, texts), default=0)
    if length is not None and longest <= length <= _LONGEST_TEXT:
        longest = length
    stored = index.nbytes + sum(map(len, texts)) + 4096
    wide = length is None or 4 * longest * max(len(texts), index.size) > _MOST_TIMES * stored
    return object_array(texts)[index] if wide else np.array(texts, dtype=f"U{longest or 1}")[index]


def _take(arrays: Arrays, name: str) -> NDArray[Any]:
    """Remove and return an array; each may be used only once, which limits the memory."""
    if name not in arrays:
        raise ValueError(f"the array {name!r} is missing or used twice")
    return arrays.pop(name)


def _decode_random_state(value: dict[str, Any], arrays: Arrays) -> np.random.RandomState:
    state = np.random.RandomState(0)
    state.set_state(decode(value["random_state"], arrays))
    return state


_DECODERS: dict[Any, Callable[[dict[str, Any], Arrays], Any]] = {
    "float": lambda value, arrays: float(value["float"]),
    "tuple": lambda value, arrays: tuple(decode(value["tuple"], arrays)),
    "dict": lambda value, arrays: {k: decode(v, arrays) for k, v in value["dict"].items()},
    "kind": _decode_kind,
    "device": lambda value, arrays: torch.device(value["device"]),
    "random_state": _decode_random_state,
    "tensor": lambda value, arrays: torch.from_numpy(_take(arrays, value["tensor"]).copy()),
    "scalar": lambda value, arrays: decode(value["scalar"], arrays)[()],
    "array": lambda value, arrays: _take(arrays, value["array"]).copy(),
    "texts": _decode_texts,
    "objects": lambda value, arrays: object_array(decode(value["objects"], arrays)),
}
