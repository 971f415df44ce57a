"""Splits of real tables, as they are and as numbers."""

from __future__ import annotations

from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from missing_rows import read_rows
from numpy.typing import NDArray
from real_tables_summary import LIST
from sklearn.model_selection import train_test_split

from ipcae.data import read_table

MOST_ROWS, MOST_LEVELS, FEWEST_OF_A_CLASS = 2000, 30, 8


class Split(NamedTuple):
    """Rows to select from and to judge on, as a table and as numbers.

    ``owners`` has the column of the table that each number comes from.
    """

    classes: bool
    tables: tuple[pd.DataFrame, pd.DataFrame]
    targets: tuple[NDArray, NDArray]
    numbers: tuple[NDArray, NDArray]
    owners: NDArray


def split_of(folder: Path, listed: dict[str, str], seed: int) -> Split:
    """Return a split of a table."""
    table = read_table(folder / f"{listed['table']}.csv")
    table = table.dropna(subset=[listed["target"]])
    if classes := listed["predicts"] == "classes":
        sizes = table[listed["target"]].value_counts()
        table = table[table[listed["target"]].isin(sizes.index[sizes >= FEWEST_OF_A_CLASS])]
    dropped = [*listed["dropped"].split("|"), listed["target"]]
    X = table.loc[:, [not any(fnmatch(c, d) for d in dropped) for c in table]]
    X = X.loc[:, X.nunique() > 1]
    y = table[listed["target"]].to_numpy()
    y = np.unique(y.astype(str), return_inverse=True)[1] if classes else y.astype(float)
    if len(X) > MOST_ROWS:
        keep = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
        X, y = X.iloc[keep], y[keep]
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=seed, stratify=y if classes else None
    )
    inputs, owners = as_numbers(X_train, X_test)
    return Split(classes, (X_train, X_test), (y_train, y_test), inputs, owners)


def as_numbers(X: pd.DataFrame, X_new: pd.DataFrame) -> tuple[tuple[NDArray, NDArray], NDArray]:
    """Return standardized numbers, one per level of a category, and their columns."""
    parts: list[list[NDArray]] = [[], []]
    owners: list[int] = []
    for number, name in enumerate(X):
        if pd.api.types.is_numeric_dtype(X[name]):
            middle = X[name].astype(float).median()
            each = [t[[name]].astype(float).fillna(middle).to_numpy() for t in (X, X_new)]
        else:
            levels = X[name].astype(str).value_counts().index[:MOST_LEVELS].to_numpy()
            each = [t[name].astype(str).to_numpy()[:, None] == levels for t in (X, X_new)]
        for part, values in zip(parts, each, strict=True):
            part.append(values.astype(float))
        owners += [number] * each[0].shape[1]
    train, test = (np.nan_to_num(np.hstack(part)) for part in parts)
    middle, scale = train.mean(0), np.maximum(train.std(0), 1e-9)
    inputs = tuple(np.clip((part - middle) / scale, -20, 20) for part in (train, test))
    return inputs, np.array(owners)  # type: ignore[return-value]


@lru_cache(maxsize=2)
def known_split(folder: Path, table: str, seed: int) -> Split:
    """Return a split of a listed table."""
    (listed,) = (each for each in read_rows(LIST) if each["table"] == table)
    return split_of(folder, listed, seed)
