"""The same table in every kind of source."""

import numpy as np
from scipy import sparse

from ipcae.sources import ArraySource, CsrSource, MemmapSource


def array(folder, X, names=None):
    return ArraySource(X, names)


def memmap(folder, X, names=None):
    np.save(folder / "rows.npy", X)
    return MemmapSource(np.load(folder / "rows.npy", mmap_mode="r"), names)


def csr(folder, X, names=None):
    return CsrSource(sparse.csr_matrix(X), names)


KINDS = {make.__name__: make for make in (array, memmap, csr)}
