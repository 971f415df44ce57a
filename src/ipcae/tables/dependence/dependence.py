"""All signs that rows depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.tables.dependence.time_order import time_order_of
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.tensors import as_array
from ipcae.text import listed, printable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Dependence:
    """Signs that rows depend on each other; without any, it is false.

    Attributes
    ----------
    identifiers : tuple of str
        Columns that seem to say which rows belong together, such as those of a patient.
    time_order : str, optional
        The column of dates by which neighboring rows are alike, "" if they are alike as they are.
    n_repeated, n_rows : int
        Number of rows that repeat an earlier one, if there are many, and of all rows.
    batch : str, optional
        A column such as a plate or a site, between which the target and many columns differ.
    n_near : int
        About how many rows are almost equal to one, two or three others, if there are many.
    same_target : str, optional
        A column of which rows of the same value always have the same target.
    alike : str, optional
        A column of which rows of the same value are alike, in the target and in many columns; one
        column is enough if it is no feature, such as a date.
    beginnings : tuple of three str, optional
        A column of names of which rows that begin alike are alike, "" for the names of the rows,
        and two such names.
    """

    identifiers: tuple[str, ...] = ()
    time_order: str | None = None
    n_repeated: int = 0
    n_rows: int = 0
    same_target: str | None = None
    alike: str | None = None
    beginnings: tuple[str, str, str] | None = None
    n_near: int = 0
    batch: str | None = None

    def __bool__(self) -> bool:
        return bool(self.signs)

    @property
    def signs(self) -> dict[str, str]:
        """What was found, by the name of the attribute, as the beginning of a sentence."""
        found = {}
        if self.identifiers:
            verb = "seems" if len(self.identifiers) == 1 else "seem"
            together = f"{verb} to say which rows belong together, such as those of one patient"
            found["identifiers"] = f"{listed(self.identifiers)} {together}"
        if self.time_order is not None:
            found["time_order"] = "neighboring rows are alike, as in a time series"
        if self.n_repeated:
            repeated = f"{self.n_repeated:,} of {self.n_rows:,} rows repeat an earlier row"
            found["n_repeated"] = repeated
        if self.n_near:
            near = f"about {self.n_near:,} of {self.n_rows:,} rows are almost equal"
            found["n_near"] = f"{near} to one to three others, as repeated measurements are"
        if self.same_target is not None:
            found["same_target"] = (
                f'rows with the same "{self.same_target}" always have the same target'
            )
        if self.alike is not None:
            found["alike"] = f'rows with the same "{self.alike}" are alike'
        if self.batch is not None:
            found["batch"] = f'the target and many columns differ with "{self.batch}"'
        if self.beginnings is not None:
            name, *two = self.beginnings
            names = f'values of "{name}"' if name else "names"
            found["beginnings"] = (
                f"rows whose {names} begin alike ({' and '.join(map(printable, two))}) are alike"
            )
        return found


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
    from pandas import DataFrame, Series, concat, factorize

    from ipcae.tables.dependence.alike_rows import column_of_alike_rows
    from ipcae.tables.dependence.batches import confounded_batch
    from ipcae.tables.dependence.design_effect import label_of_clusters
    from ipcae.tables.dependence.group_columns import column_of_groups, columns_of_groups
    from ipcae.tables.dependence.near_copies import count_near_copies
    from ipcae.tables.dependence.repeated_rows import count_repeated
    from ipcae.tables.dependence.shared_beginnings import alike_by_beginning

    row_names = Series((frame if others is None else others).index, name="")
    frame = frame.reset_index(drop=True)
    others = frame[[]] if others is None else others.reset_index(drop=True)
    every = concat([frame, others], axis=1) if others.shape[1] else frame
    kinds = np.array([coding.kind for coding in encoding.codings])
    used = np.array([coding.used for coding in encoding.codings])
    columns, names = coded[:, used], np.array(encoding.names, dtype=object)[used]
    numbers = DataFrame(columns, columns=names)
    comparable = ordered and y is not None
    identifiers = columns_of_groups(frame, encoding, coded)
    same_target = None if identifiers or y is None else column_of_groups(every, y)
    alike = time_order = beginnings = batch = None
    if not (identifiers or same_target):
        of_frame = frame.loc[:, np.isin(kinds, ("text", "date", "date as number"))]
        tables = (of_frame, others.select_dtypes(exclude="number"))
        labels = [column for table in tables for _, column in table.items()]
        alike = label_of_clusters(labels, columns, y if ordered else None)
    together = [factorize(every[name])[0] for name in (*identifiers, same_target, alike) if name]
    if comparable:
        texts = (column for _, column in every.select_dtypes(exclude="number").items())
        unknown = (each for each in (row_names, *texts) if not _within(each, together))
        beginnings = alike_by_beginning(unknown, columns, y)
    if comparable and beginnings is None:
        dates = frame.loc[:, np.isin(kinds, ("date", "date as number"))]
        time_order = time_order_of(columns, y, concat([dates, others], axis=1))
        if time_order == "" and any(map(_in_blocks, together)):
            time_order = None  # neighbors are alike because they are rows of a group
    if alike == time_order:
        alike = None
    if comparable and not (identifiers or same_target or alike or beginnings):
        alike = column_of_alike_rows(every, columns, y)
        batch = None if alike else confounded_batch(every, numbers, y)
    rows = concat([numbers, frame.loc[:, kinds == "text"]], axis=1)
    n_repeated = count_repeated(rows, None if y is None else DataFrame(np.asarray(as_array(y))))
    grouped = identifiers or same_target or alike or beginnings or batch or time_order is not None
    n_near = 0 if grouped else count_near_copies(columns, y if ordered else None)
    return Dependence(
        identifiers=tuple(identifiers),
        time_order=time_order,
        n_repeated=n_repeated,
        n_rows=len(frame),
        same_target=same_target,
        alike=alike,
        beginnings=beginnings,
        n_near=n_near,
        batch=batch,
    )


def _within(names: pd.Series, together: list[Integers]) -> bool:
    """Return whether names that begin alike are in one group, of one of these columns."""
    from ipcae.tables.dependence.shared_beginnings import shared_beginnings

    beginnings = shared_beginnings(names) if together else None
    if beginnings is None:
        return False
    n_beginnings = len(set(beginnings))
    pairs = (set(zip(beginnings, groups.tolist(), strict=True)) for groups in together)
    return any(len(each) == n_beginnings for each in pairs)


def _in_blocks(groups: Integers) -> bool:
    """Return whether most rows of a group are neighbors."""
    return bool((np.diff(groups) == 0).sum() >= (len(groups) - groups.max() - 1) / 2)


def dependence_of(X: Any, y: Any = None, *, ordered: bool = True) -> Dependence:
    """Look for signs that the rows of a table, as passed to ``fit``, depend on each other.

    Sparse tables are not searched, and without pandas only neighboring rows are compared.

    >>> steps = np.random.default_rng(0).normal(size=(300, 4)).cumsum(0)
    >>> dependence_of(steps[:, :3], steps[:, 3]).signs
    {'time_order': 'neighboring rows are alike, as in a time series'}
    >>> bool(dependence_of(steps[:, :3], np.random.default_rng(1).normal(size=300)))
    False
    """
    if hasattr(X, "iloc"):
        encoding = Encoding.of(X)
        return find_dependence(X, encoding, encoding.code(X).numpy(), y, ordered=ordered)
    try:
        coded = np.asarray(as_array(X, "X"), dtype=np.float64)
    except (TypeError, ValueError):
        return Dependence()
    if coded.ndim != 2:
        return Dependence()
    try:
        from pandas import DataFrame
    except ModuleNotFoundError:
        alike = None if y is None or not ordered else time_order_of(coded, as_array(y))
        return Dependence(time_order=alike)
    names = [str(column) for column in range(coded.shape[1])]
    encoding = Encoding.of_numbers(names, np.isnan(coded).sum(0).tolist(), len(coded))
    return find_dependence(DataFrame(coded, columns=names), encoding, coded, y, ordered=ordered)
