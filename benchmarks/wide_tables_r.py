"""Read tables from installed R packages: files of data, and databases of lazily loaded data."""

from __future__ import annotations

import bz2
import lzma
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rdata.conversion import DEFAULT_CLASS_MAP, convert
from rdata.parser import RObject, parse_data, parse_file


def _columns(value: Any, attributes: Any) -> Any:
    """Return the columns of a data frame, which may be matrices."""
    return dict(value) if isinstance(value, dict) else value


CLASSES = {**DEFAULT_CLASS_MAP, "data.frame": _columns}


def read(package: Path, name: str) -> Any:
    """Return an object of a package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that are not known become dictionaries
        return convert(parse_data(_serialized(package, name)), constructor_dict=CLASSES)


def read_file(path: Path) -> dict[str, Any]:
    """Return the objects of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return convert(parse_file(path), constructor_dict=CLASSES)


def _serialized(package: Path, name: str) -> bytes:
    """Return the bytes of an object in a database: its length, the compression, and the rest."""
    stem = package / "data" / "Rdata"
    index = convert(parse_data(stem.with_suffix(".rdx").read_bytes()))
    offset, length = index["variables"][name]
    part = stem.with_suffix(".rdb").read_bytes()[offset : offset + length][4:]
    if part[:1] == b"2":
        return bz2.decompress(part[1:])
    if part[:1] == b"Z":
        filters = [{"id": lzma.FILTER_LZMA2}]
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters).decompress(part[1:])
    return zlib.decompress(part)


def all_objects(found: RObject) -> Iterator[RObject]:
    """Yield an object that was parsed and all that it contains, for classes that cannot be read."""
    seen, left = set[int](), [found]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        value = one.value
        inside = (
            value if isinstance(value, list | tuple) else getattr(value, "__dict__", {}).values()
        )
        inside = (*inside, one.attributes, one.referenced_object)
        left += [each for each in reversed(inside) if isinstance(each, RObject)]


def leukemia(path: Path) -> tuple[NDArray, NDArray]:
    """Return the expressions of the package ALL, and the codes of the molecular biology."""
    matrix, codes = None, None
    for one in all_objects(parse_file(path).object):
        size = len(one.value) if isinstance(one.value, np.ndarray) else 0
        if size == 12625 * 128:
            matrix = one.value.reshape(128, 12625)
        if size == 128 and one.attributes is not None and b"BCR/ABL" in _strings(one.attributes):
            codes = one.value
    return matrix, codes


def _strings(found: RObject) -> list[bytes]:
    """Return the strings that an object contains, such as the levels of a factor."""
    return [each.value for each in all_objects(found) if isinstance(each.value, bytes)]
