"""The paper's splits into training, validation and test rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Integers
from ipcae.data.catalogue import CATALOGUE, named
from ipcae.data.dataset import Dataset
from ipcae.data.originals import load
from ipcae.data.table import Table
from ipcae.errors import InputError

Prepared = tuple[NDArray[np.float32], Integers, Integers, Integers]
"""All rows, scaled, and the indices of the training, validation and test rows."""

SEED = 42
PIXEL_MEAN_STD = {"mnist": (0.1306, 0.3080), "fashion_mnist": (0.2873, 0.3529)}


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """A scaled data set in three parts.

    Parameters
    ----------
    dataset : Dataset
        Entry of the data set, with the paper's K and batch size.
    X_train, X_val, X_test : float32 arrays of shape (n_rows, n_features)
        Scaled values.
    y_train, y_val, y_test : int64 arrays of shape (n_rows,)
        Classes, from 0.
    feature_names, class_names : tuple of str, optional
        Names, if the source has them.

    See Also
    --------
    data.paper_split : Make it.
    data.Table : All rows, unscaled.

    Examples
    --------
    >>> from ipcae.data import CATALOGUE
    >>> X, y = np.zeros((2, 617), np.float32), np.array([0, 1])
    >>> Split(CATALOGUE["isolet"], X, y, X, y, X, y).dataset.n_selected
    50
    """

    dataset: Dataset
    X_train: NDArray[np.float32]
    y_train: Integers
    X_val: NDArray[np.float32]
    y_val: Integers
    X_test: NDArray[np.float32]
    y_test: Integers
    feature_names: tuple[str, ...] | None = None
    class_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        sizes = " / ".join(str(len(y)) for y in (self.y_train, self.y_val, self.y_test))
        return f"Split({self.dataset.name}: {sizes} rows, {self.X_train.shape[1]} features)"


def paper_split(
    name: str | Dataset, *, impute: Literal["class", "train"] = "class", download: bool = True
) -> Split:
    """Split and scale a data set as the paper did.

    Parameters
    ----------
    name : str or Dataset
        One of the paper's six data sets.
    impute : {"class", "train"}, default="class"
        How to impute the missing values of mice_protein; the other data sets have none. "class",
        as in the paper, uses the mean of the protein over all mice of the same class. This leaks
        information: test rows contribute to training rows, and imputed values reveal the label,
        also of test rows. Use it only to reproduce the paper. "train" uses the mean over the
        training rows of all classes.
    download : bool, default=True
        Whether to download missing files.

    Returns
    -------
    Split
        The three parts, with the rows in the paper's order.

    Notes
    -----
    The paper's protocol has two further leaks, independent of `impute`. The rows of one mouse (15
    measurements) or, within the official training set, of one person (har) occur in several parts;
    `Table.groups` identifies them. The scaling of isolet and har also uses the validation rows.

    See Also
    --------
    data.load : All rows, unscaled.
    paper_settings : The settings of the paper.

    Examples
    --------
    >>> [name for name, dataset in CATALOGUE.items() if dataset.in_paper]
    ['mnist', 'fashion_mnist', 'isolet', 'coil20', 'har', 'mice_protein']
    >>> paper_split("isolet").X_train.shape  # doctest: +SKIP
    (4990, 617)
    """
    dataset = named(name)
    if not dataset.in_paper:
        papers = ", ".join(other.name for other in CATALOGUE.values() if other.in_paper)
        raise InputError(f"{dataset.name} is not in the paper, so it has no split: {papers} have.")
    if impute not in ("class", "train"):
        raise InputError(f'impute is "class" or "train", not {impute!r}.')
    table = load(dataset, download=download)
    X, train, val, test = PREPARATIONS[dataset.name](table, impute)
    return Split(
        dataset,
        X_train=X[train],
        y_train=table.y[train],
        X_val=X[val],
        y_val=table.y[val],
        X_test=X[test],
        y_test=table.y[test],
        feature_names=table.feature_names,
        class_names=table.class_names,
    )


def _images(table: Table, impute: str) -> Prepared:
    """Take 0.15 of each official part, split the training images 0.8 / 0.2, standardize pixels."""
    official_train, official_test = _official_parts(table)
    kept, _ = _random_split(official_train, 0.15)
    train, val = _random_split(kept, 0.8)
    test, _ = _random_split(official_test, 0.15)
    mean, std = np.array(PIXEL_MEAN_STD[table.dataset.name], dtype=np.float32)
    return (table.X / np.float32(255) - mean) / std, train, val, test


def _official_test(table: Table, impute: str) -> Prepared:
    """Split the official training rows 0.8 / 0.2; scale to the range of both parts."""
    official_train, test = _official_parts(table)
    train, val = _random_split(official_train, 0.8)
    return _to_unit_range(table.X, official_train), train, val, test


def _coil20(table: Table, impute: str) -> Prepared:
    """Split 0.6 / 0.2 / 0.2; the published values are in [0, 1]."""
    train, val, test = _random_split(np.arange(len(table.y)), 0.6, 0.2)
    return table.X, train, val, test


def _mice_protein(table: Table, impute: str) -> Prepared:
    """Split 0.6 / 0.2 / 0.2, impute missing values, scale to the range of the training rows."""
    from sklearn.model_selection import train_test_split

    rows = np.arange(len(table.y))
    train, rest = train_test_split(rows, train_size=0.6, random_state=SEED)
    val, test = train_test_split(rest, train_size=0.5, random_state=SEED)
    X = table.X.copy()
    if impute == "class":
        for label in range(table.dataset.n_classes):
            _fill_missing(X, where=rows[table.y == label], means_of=rows[table.y == label])
    else:
        # NOTE[DIFF]: the paper imputes by class over all rows, which leaks labels and test rows.
        _fill_missing(X, where=rows, means_of=train)
    return _to_unit_range(X, train), train, val, test


PREPARATIONS: dict[str, Callable[[Table, str], Prepared]] = {
    "mnist": _images,
    "fashion_mnist": _images,
    "isolet": _official_test,
    "coil20": _coil20,
    "har": _official_test,
    "mice_protein": _mice_protein,
}
"""The function that splits and scales each data set."""


def _official_parts(table: Table) -> tuple[Integers, Integers]:
    is_test = np.asarray(table.is_test)
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _random_split(rows: Integers, *fractions: float) -> list[Integers]:
    """Split rows as `torch.utils.data.random_split` does; the last part gets the rest.

    >>> [part.tolist() for part in _random_split(np.arange(10, 15), 0.4)]
    [[12, 14], [13, 10, 11]]
    """
    import torch

    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(SEED)).numpy()
    lengths = [int(fraction * len(rows)) for fraction in fractions]
    return np.split(rows[order], np.cumsum(lengths))


def _to_unit_range(X: NDArray[np.float32], fitted_on: Integers) -> NDArray[np.float32]:
    from sklearn.preprocessing import MinMaxScaler

    X = X.astype(np.float64)
    return MinMaxScaler().fit(X[fitted_on]).transform(X).astype(np.float32)


def _fill_missing(X: NDArray[np.float32], where: Integers, means_of: Integers) -> None:
    means = np.nanmean(X[means_of], axis=0, dtype=np.float64)
    X[where] = np.where(np.isnan(X[where]), means, X[where])
