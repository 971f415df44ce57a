"""The same table in every kind of source."""

import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import zarr
from scipy import sparse

from ipcae.sources import ArraySource, CsrSource, FileSource, MemmapSource, open_source


def array(folder, X, names=None):
    return ArraySource(X, names)


def memmap(folder, X, names=None):
    np.save(folder / "rows.npy", X)
    return MemmapSource(np.load(folder / "rows.npy", mmap_mode="r"), names)


def npy(folder, X, names=None):
    np.save(folder / "file.npy", X)
    return FileSource(folder / "file.npy", names)


def csr(folder, X, names=None):
    return CsrSource(sparse.csr_matrix(X), names)


def hdf5(folder, X, names=None):
    path = folder / "rows.h5"
    path.unlink(missing_ok=True)
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=X, chunks=(5, X.shape[1]))
    return named(open_source(path), names)


def zarr_array(folder, X, names=None):
    path = folder / "rows.zarr"
    zarr.create_array(path, data=X, chunks=(5, X.shape[1]), overwrite=True)
    return named(open_source(path), names)


def parquet(folder, X, names=None):
    path = folder / "parts"
    path.mkdir(exist_ok=True)
    columns = names or [f"f{i}" for i in range(X.shape[1])]
    half = len(X) // 3
    for number, rows in enumerate((X[:half], X[half:])):
        table = pa.table({name: rows[:, i] for i, name in enumerate(columns)})
        pq.write_table(table, path / f"part-{number}.parquet", row_group_size=11)
    return open_source(path)


def h5ad(folder, X, names=None):
    return open_source(cells(folder / "cells.h5ad", X, names))


def h5ad_sparse(folder, X, names=None):
    return open_source(cells(folder / "sparse.h5ad", sparse.csr_matrix(X), names))


def zarr_sparse(folder, X, names=None):
    return open_source(cells(folder / "cells.zarr", sparse.csr_matrix(X), names))


def cells(path, X, names=None, obs=None):
    """Write an AnnData file and return its path."""
    genes = names or [f"f{i}" for i in range(X.shape[1])]
    index = [f"cell{i}" for i in range(X.shape[0])]
    genes, index = (np.array(labels, dtype=object) for labels in (genes, index))
    genes, obs = pd.DataFrame(index=pd.Index(genes, dtype=object)), obs or {}
    cells = pd.DataFrame(obs, index=pd.Index(index, dtype=object))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata = anndata.AnnData(X, obs=cells, var=genes)
        adata.write_h5ad(path) if path.suffix == ".h5ad" else adata.write_zarr(path)
    return path


def named(source, names):
    source.names = names
    return source


IN_MEMORY = array, memmap, npy, csr
STORED = hdf5, zarr_array, parquet, h5ad, h5ad_sparse, zarr_sparse
KINDS = {make.__name__: make for make in (*IN_MEMORY, *STORED)}
