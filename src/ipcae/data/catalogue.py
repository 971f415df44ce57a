"""The data sets of the paper and a single-cell data set, as ``catalogue.toml`` lists them."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from ipcae.data.dataset import Dataset, File, Mirror
from ipcae.errors import InputError
from ipcae.text import similar_name


def _dataset(
    name: str,
    *,
    mirrors: list[list[str]],
    files: dict[str, tuple[str, int]],
    twins: dict[str, tuple[str, str, int]] | None = None,
    grid: list[int] | None = None,
    **others: Any,
) -> Dataset:
    """Return an entry of the catalogue."""

    def mirror_of(path: str, parts: list[str]) -> Mirror:
        url, *members = (part.replace("{path}", path) for part in parts)
        return Mirror(url, tuple(members))

    both = {path: File(*twin) for path, twin in (twins or {}).items()}
    known = tuple(
        File(path, sha256, size, tuple(mirror_of(path, each) for each in mirrors), both.get(path))
        for path, (sha256, size) in files.items()
    )
    return Dataset(name, files=known, grid=None if grid is None else (grid[0], grid[1]), **others)


_TEXT = resources.files("ipcae.data").joinpath("catalogue.toml").read_text(encoding="utf-8")
CATALOGUE = {name: _dataset(name, **entry) for name, entry in tomllib.loads(_TEXT).items()}
"""All data sets by name."""


def named(name: str | Dataset) -> Dataset:
    """Return the entry of this name; an entry is returned unchanged.

    Examples
    --------
    >>> named("mnist").grid
    (28, 28)
    >>> named("isolett")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: there is no data set "isolett": did you mean isolet?
    """
    if isinstance(name, Dataset):
        return name
    if name in CATALOGUE:
        return CATALOGUE[name]
    near = similar_name(name, CATALOGUE)
    advice = f"did you mean {near}?" if near else f"there are {', '.join(CATALOGUE)}."
    raise InputError(f'there is no data set "{name}": {advice}')
