"""Small AnnData files of cells of two types."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anndata = pytest.importorskip("anndata")


def write_cells(path, n_cells, rate, kind, **columns):
    """Write counts of 8 genes and their logarithms; genes 1 and 2 mark the type."""
    counts = np.random.default_rng(0).poisson(rate, size=(n_cells, 8)).astype(np.float32)
    types = np.arange(n_cells) % 2
    counts[:, 1] += 9 * types
    counts[:, 2] += 30 * (1 - types)
    columns[kind] = pd.Categorical(np.array(["T", "B"])[types])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.settings.allow_write_nullable_strings = True
        adata = anndata.AnnData(
            sparse.csr_matrix(np.log1p(counts)),
            obs=pd.DataFrame(columns, index=[f"c{i}" for i in range(n_cells)]),
            var=pd.DataFrame(index=[f"GENE{i}" for i in range(8)]),
            layers={"counts": sparse.csr_matrix(counts)},
        )
        adata.write_h5ad(path)
    return path
