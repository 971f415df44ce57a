"""zarr stores: an array, or the matrix of an AnnData store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.sources.anndata import matrix_of
from ipcae.sources.base import Source
from ipcae.sources.stored import ChunkedSource, array_of


def open_zarr(path: Path, key: str | None = None) -> Source:
    """Open an array, the array ``key`` of a group, or an AnnData store (``key`` is a layer)."""
    root = root_of(path)
    if hasattr(root, "shape"):
        return ChunkedSource(root, None, str(path))
    if root.attrs.get("encoding-type") == "anndata":
        return matrix_of(root, str(path), key)
    arrays = sorted(root.array_keys())
    return array_of(root, arrays, key, str(path))


def root_of(path: Path) -> Any:
    """Open a store."""
    zarr = optional("zarr", "reading zarr stores", install="ipcae[zarr]")
    try:
        return zarr.open(str(path), mode="r")
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path} cannot be read as zarr ({error}).") from error
