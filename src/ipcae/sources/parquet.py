"""A Parquet file, or a folder of them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.sources.base import Source
from ipcae.text import listed


class ParquetSource(Source):
    """The numeric columns of a Parquet file or of a folder of Parquet files, read by row group.

    The rows are those of the files in the order of their names. Columns that are not features, such
    as the target, are read with :meth:`column` and left out with :meth:`drop`. A row group is read
    as a whole: groups of more than a few hundred megabytes need as much memory.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        dataset = optional("pyarrow.dataset", "reading Parquet files", install="ipcae[tables]")
        self.groups = [
            group
            for file in _files(dataset, self.path)
            for group in file.split_by_row_group()
            if group.row_groups[0].num_rows
        ]
        lengths = [group.row_groups[0].num_rows for group in self.groups]
        self.ends = np.cumsum(lengths, dtype=np.int64)
        if not lengths:
            raise InputError(f"{self.path} has no rows: expected rows to learn from.")
        self.types = {field.name: field.type for field in self.groups[0].physical_schema}
        self._use(list(self.types))

    def _use(self, names: list[str]) -> None:
        kinds = {str(self.types[name]) for name in names}
        dtype = np.float32 if kinds == {"float"} else np.float64
        super().__init__((int(self.ends[-1]), len(names)), dtype, names)

    def __str__(self) -> str:
        return str(self.path)

    @property
    def starts(self) -> Integers:
        """The first rows of the row groups."""
        return np.concatenate([[0], self.ends[:-1]])

    def drop(self, names: str | Sequence[str]) -> Self:
        """Return the source without some columns, such as the target."""
        dropped = [names] if isinstance(names, str) else list(names)
        self.positions(dropped, str(self))
        other = copy.copy(self)
        other._use([name for name in self.names or () if name not in dropped])
        other.window_bytes = self.window_bytes
        return other

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of one column, such as the target."""
        if name not in self.types:
            raise InputError(
                f'{self} has no column "{name}": its columns are {listed(list(self.types))}.'
            )
        parts = [group.to_table(columns=[name]).column(0) for group in self.groups]
        if any(part.null_count for part in parts):
            raise InputError(
                f'column "{name}" of {self} has missing values: fill them in, or drop those rows.'
            )
        if _is_number(self.types[name]):
            return np.concatenate([part.to_numpy() for part in parts])
        return np.array([value for part in parts for value in part.to_pylist()], dtype=object)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return consecutive rows, from the row groups that contain them."""
        return self._read(start, stop, self.names or [])

    def columns(self, index: Integers) -> Tensor:
        """Return some columns of all rows, without reading the others."""
        names = [(self.names or [])[place] for place in index]
        parts = [
            self._read(int(start), int(end), names)
            for start, end in zip(self.starts, self.ends, strict=True)
        ]
        return self.as_rows(np.concatenate(parts))

    def _read(self, start: int, stop: int, names: list[str]) -> NDArray[Any]:
        self._require_numbers(names)
        kind = np.float32 if self.dtype == torch.float32 else np.float64
        rows = np.empty((stop - start, len(names)), dtype=kind)
        first, last = np.searchsorted(self.ends, [start, stop - 1], side="right")
        for group in range(int(first), int(last) + 1):
            begin = int(self.starts[group])
            low, high = max(start, begin), min(stop, int(self.ends[group]))
            table = self.groups[group].to_table(columns=names)
            rows[low - start : high - start] = _matrix(table, kind)[low - begin : high - begin]
        return rows

    def not_numeric(self, names: Sequence[str] | None = None) -> list[str]:
        """Return which of these columns, by default of all, do not contain numbers."""
        given = self.names or () if names is None else names
        return [name for name in given if not _is_number(self.types[name])]

    def _require_numbers(self, names: Sequence[str]) -> None:
        text = self.not_numeric(names)
        if text:
            labels = [f"{name}: {self.types[name]}" for name in text]
            raise InputError(
                f"{len(text)} of {len(names)} columns of {self} are not numeric "
                f"({listed(labels)}): a table that is read in parts needs numbers. Leave them out "
                f"with drop({text[:3]!r}), or encode them."
            )


def _files(dataset: Any, path: Path) -> list[Any]:
    """Return the files, all with the same columns."""
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    names = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    if not names:
        raise InputError(f"{path} has no .parquet files: expected a folder of them.")
    try:
        files = [
            next(dataset.dataset(str(name), format="parquet").get_fragments()) for name in names
        ]
        schemas = [file.physical_schema for file in files]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as Parquet ({error}).") from error
    for name, schema in zip(names, schemas, strict=True):
        if difference := _difference(schemas[0], schema):
            raise InputError(
                f"{name} differs from {names[0].name}: {difference}. Expected the same columns of "
                "the same types in all files of the folder."
            )
    return files


def _difference(first: Any, other: Any) -> str:
    if first.equals(other):
        return ""
    before, after = ({field.name: field.type for field in each} for each in (first, other))
    missing, extra = ([n for n in a if n not in b] for a, b in ((before, after), (after, before)))
    types = [
        f"{name} is {after[name]} instead of {kind}"
        for name, kind in before.items()
        if name in after and after[name] != kind
    ]
    parts = [f"it has no {listed(missing)}"] if missing else []
    parts += [f"it has {listed(extra)} in addition"] if extra else []
    return ", ".join([*parts, *types[:3]])


def _is_number(kind: Any) -> bool:
    text = str(kind)
    return text in ("bool", "float", "double", "halffloat") or text.startswith(("int", "uint"))


def _matrix(table: Any, kind: type) -> NDArray[Any]:
    """Return the columns of a table as an array, NaN where values are missing."""
    rows = np.empty((table.num_rows, table.num_columns), dtype=kind)
    step = 64  # columns at a time, whose rows share cache lines
    for start in range(0, table.num_columns, step):
        block: list[NDArray[Any]] = [
            np.asarray(column.to_numpy(), dtype=kind)
            for column in table.columns[start : start + step]
        ]
        rows[:, start : start + step] = np.stack(block, axis=1)
    return rows
