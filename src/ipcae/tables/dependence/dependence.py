"""Signs that rows depend on each other, as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipcae.tables.dependence.time_order import time_order_of
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.tensors import as_array
from ipcae.text import listed, printable


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
        from ipcae.tables.dependence.search import find_dependence

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

        from ipcae.tables.dependence.search import find_dependence
    except ModuleNotFoundError:
        alike = None if y is None or not ordered else time_order_of(coded, as_array(y))
        return Dependence(time_order=alike)
    names = [str(column) for column in range(coded.shape[1])]
    encoding = Encoding.of_numbers(names, np.isnan(coded).sum(0).tolist(), len(coded))
    return find_dependence(DataFrame(coded, columns=names), encoding, coded, y, ordered=ordered)
