"""Search a table for all signs that rows depend on each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ipcae.arrays import Floats, Integers
from ipcae.tables.dependence.alike_rows import column_of_alike_rows
from ipcae.tables.dependence.batches import confounded_batch
from ipcae.tables.dependence.dependence import Dependence
from ipcae.tables.dependence.design_effect import label_of_clusters
from ipcae.tables.dependence.group_columns import column_of_groups, columns_of_groups
from ipcae.tables.dependence.near_copies import count_near_copies
from ipcae.tables.dependence.repeated_rows import count_repeated
from ipcae.tables.dependence.shared_beginnings import alike_by_beginning, shared_beginnings
from ipcae.tables.dependence.time_order import time_order_of
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.tensors import as_array

_DATES = ("date", "date as number")


def find_dependence(
    frame: pd.DataFrame,
    encoding: Encoding,
    coded: Floats,
    y: Any = None,
    *,
    others: pd.DataFrame | None = None,
    ordered: bool = True,
) -> Dependence:
    """Look for signs that the rows of a table depend on each other.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns that may be features.
    encoding : Encoding
        What they contain; those that are left out may tell which rows belong together, too.
    coded : array of shape (N, D)
        The columns as numbers.
    y : array-like, optional
        The target.
    others : pandas.DataFrame, optional
        Columns that are no features, such as dates.
    ordered : bool
        Whether the target has an order, or classes, that neighboring rows may share.
    """
    row_names = pd.Series((frame if others is None else others).index, name="")
    frame = frame.reset_index(drop=True)
    others = frame[[]] if others is None else others.reset_index(drop=True)
    every = pd.concat([frame, others], axis=1) if others.shape[1] else frame
    kinds = np.array([coding.kind for coding in encoding.codings])
    used = np.array([coding.used for coding in encoding.codings])
    columns, names = coded[:, used], np.array(encoding.names, dtype=object)[used]
    numbers = pd.DataFrame(columns, columns=names)
    target = y if ordered else None  # by which rows are compared

    identifiers = columns_of_groups(frame, encoding, coded)
    same_target = None if identifiers or y is None else column_of_groups(every, y)
    alike = time_order = beginnings = batch = None
    if not (identifiers or same_target):
        tables = frame.loc[:, np.isin(kinds, ("text", *_DATES))], others
        labels = [column for table in tables for column in _labels(table)]
        alike = label_of_clusters(labels, columns, target)
    together = [pd.factorize(every[name])[0] for name in (*identifiers, same_target, alike) if name]
    if target is not None:
        unknown = (each for each in (row_names, *_labels(every)) if not _within(each, together))
        beginnings = alike_by_beginning(unknown, columns, target)
    if target is not None and beginnings is None:
        times = pd.concat([frame.loc[:, np.isin(kinds, _DATES)], others], axis=1)
        time_order = _time_order(columns, target, times, together)
    alike = None if alike == time_order else alike
    if target is not None and not (identifiers or same_target or alike or beginnings):
        alike = column_of_alike_rows(every, columns, target)
        batch = None if alike else confounded_batch(every, numbers, target)

    rows = pd.concat([numbers, frame.loc[:, kinds == "text"]], axis=1)
    grouped = identifiers or same_target or alike or beginnings or batch or time_order is not None
    return Dependence(
        identifiers=tuple(identifiers),
        time_order=time_order,
        n_repeated=count_repeated(rows, None if y is None else np.asarray(as_array(y))),
        n_rows=len(frame),
        same_target=same_target,
        alike=alike,
        beginnings=beginnings,
        n_near=0 if grouped else count_near_copies(columns, target),
        batch=batch,
    )


def _labels(table: pd.DataFrame) -> list[pd.Series]:
    """Return the columns that are not numbers."""
    return [column for _, column in table.select_dtypes(exclude="number").items()]


def _within(names: pd.Series, together: list[Integers]) -> bool:
    """Return whether names that begin alike are in one group, of one of these columns."""
    beginnings = shared_beginnings(names) if together else None
    if beginnings is None:
        return False
    n_beginnings = len(set(beginnings))
    pairs = (set(zip(beginnings, groups.tolist(), strict=True)) for groups in together)
    return any(len(each) == n_beginnings for each in pairs)


def _time_order(
    columns: Floats, target: Any, times: pd.DataFrame, together: list[Integers]
) -> str | None:
    """Return the order in which neighbors are alike, unless they are so as rows of a group."""
    found = time_order_of(columns, target, times)
    return None if found == "" and any(map(_in_blocks, together)) else found


def _in_blocks(groups: Integers) -> bool:
    """Return whether most rows of a group are neighbors."""
    return bool((np.diff(groups) == 0).sum() >= (len(groups) - groups.max() - 1) / 2)
