"""Where the tables of the suite come from.

``pack`` writes the large data sets to NPZ files, for a machine without the original files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rows import ROOT
from sklearn.model_selection import train_test_split

Arrays = tuple[NDArray, NDArray, NDArray, NDArray]
"""X_train, X_test, y_train, y_test."""

FEWEST = 4  # members of a class of a small table; smaller classes are left out
LARGE = "mnist", "fashion_mnist", "isolet", "coil20", "har", "mice_protein"
OWN_SPLIT = "mnist", "fashion_mnist", "har"
folder = ROOT.parent / "shared" / "data"


def small_table(name: str) -> tuple[NDArray, NDArray]:
    """Return a small table without the classes that have too few members."""
    with np.load(folder / "small" / f"{name}.npz") as arrays:
        X, y = arrays["X"].astype(np.float64), arrays["y"]
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= FEWEST])
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def small_names() -> list[str]:
    """Return the names of the small tables."""
    return sorted(path.stem for path in (folder / "small").glob("*.npz"))


def cells_of(name: str) -> tuple[NDArray, NDArray]:
    """Return the logarithms of a single-cell table, and the types of its cells."""
    packed = folder / f"{name}.npz"
    if packed.exists():
        with np.load(packed) as arrays:
            return arrays["X"].astype(np.float64), arrays["y"].astype(np.int64)
    import h5py

    if name == "pbmc3k":
        with h5py.File(folder / "pbmc3k" / "adata_pbmc3k.h5ad") as file:
            X, types = _matrix(file["X"]), file["obs"]["celltype"]
            y = types["codes"][:] if hasattr(types, "keys") else types[:]
    else:
        with h5py.File(folder / "worm_neuron" / "worm_neuron_cell.h5") as file:
            counts, y = file["X"][:].astype(np.float64), file["Y"][:]
        X = np.log1p(1e4 * counts / counts.sum(1, keepdims=True))
    kept = X.std(0) > 0
    return X[:, kept], np.unique(y, return_inverse=True)[1]


def _matrix(group) -> NDArray:
    """Read a dense or compressed sparse row matrix of an h5ad file."""
    if not hasattr(group, "keys"):
        return group[:].astype(np.float64)
    from scipy.sparse import csr_matrix

    parts = tuple(group[name][:] for name in ("data", "indices", "indptr"))
    return csr_matrix(parts, shape=tuple(group.attrs["shape"])).toarray().astype(np.float64)


def large(name: str) -> Arrays:
    """Return the training and test rows of the NeuroFS protocol, in the original units."""
    packed = folder / f"{name}.npz"
    if packed.exists():
        with np.load(packed) as arrays:
            return tuple(arrays[key] for key in ("X_train", "X_test", "y_train", "y_test"))
    return _original(name)


def people(name: str) -> NDArray | None:
    """Return who was measured in every training row, if that is known."""
    if name != "har":
        return None
    packed = folder / "har-people.npz"
    if packed.exists():
        with np.load(packed) as arrays:
            return arrays["people"]
    from ipcae.data import load

    table = load(name, download=False)
    return table.groups[~np.asarray(table.is_test)]


def _original(name: str) -> Arrays:
    from ipcae.data import load

    table = load(name, download=False)
    X, y = table.X, table.y
    if np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X, 0), X)
    if name in OWN_SPLIT:
        test = np.asarray(table.is_test)
        return X[~test], X[test], y[~test], y[test]
    return tuple(train_test_split(X, y, test_size=0.2, random_state=42))


def pack(target: Path) -> None:
    """Write the large data sets to NPZ files, pixels as bytes."""
    target.mkdir(parents=True, exist_ok=True)
    for name in LARGE:
        X, X_test, y, y_test = _original(name)
        kind = np.uint8 if name.endswith("mnist") else np.float32
        np.savez_compressed(
            target / f"{name}.npz",
            X_train=X.astype(kind),
            X_test=X_test.astype(kind),
            y_train=y.astype(np.uint8),
            y_test=y_test.astype(np.uint8),
        )
    np.savez_compressed(target / "har-people.npz", people=people("har"))
