"""Byte orders, layouts and number types that NumPy or PyTorch treat differently."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from scipy import sparse

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
)
from ipcae.selectors.classical import UnsupervisedDiscriminative


def swapped(array):
    return array.astype(array.dtype.newbyteorder("S"))


def big_endian_sparse(X):
    matrix = sparse.csr_matrix(X)
    matrix.data = swapped(matrix.data)
    return matrix


FORMS = {
    "array": swapped,
    "frame": lambda X: pd.DataFrame(swapped(X)),
    "sparse": big_endian_sparse,
    "coo tensor": lambda X: torch.from_numpy(X).to_sparse(),
    "csr tensor": lambda X: torch.from_numpy(X).to_sparse_csr(),
    "csc tensor": lambda X: torch.from_numpy(X).to_sparse_csc(),
    "sparse frame": lambda X: pd.DataFrame.sparse.from_spmatrix(
        sparse.csr_matrix(X), columns=[f"gene {number}" for number in range(X.shape[1])]
    ),
}


@pytest.mark.filterwarnings("ignore:Sparse CS[RC] tensor support")
@pytest.mark.parametrize("form", FORMS)
def test_rows_in_an_odd_form_are_the_same_rows(X, classes, quick, form):
    given = FORMS[form](X)
    selector = ClassificationSelector(2, **quick).fit(given, classes)
    plain = ClassificationSelector(2, **quick).fit(X, classes)
    np.testing.assert_array_equal(selector.predict_proba(given), plain.predict_proba(X))
    chosen = selector.transform(given)
    if hasattr(chosen, "to_dense"):
        chosen = chosen.to_dense()
    chosen = chosen.toarray() if sparse.issparse(chosen) else np.asarray(chosen)
    np.testing.assert_array_equal(chosen, plain.transform(X))


@pytest.mark.parametrize("change", [swapped, lambda y: torch.from_numpy(y).to_sparse()])
def test_targets_and_weights_in_an_odd_form(X, classes, values, quick, change):
    weights = np.linspace(0.5, 1, len(X))
    for kind, y in ((ClassificationSelector, classes), (RegressionSelector, values)):
        odd = kind(2, **quick).fit(X, change(y), change(weights))
        plain = kind(2, **quick).fit(X, y, weights)
        np.testing.assert_array_equal(odd.predict(X), plain.predict(X))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float8_e4m3fn])
def test_targets_of_few_bits(X, classes, values, quick, dtype):
    rounded = torch.from_numpy(values).to(dtype)
    found = RegressionSelector(2, **quick).fit(X, rounded, torch.ones(len(X)).to(dtype))
    expected = RegressionSelector(2, **quick).fit(X, rounded.double(), np.ones(len(X)))
    np.testing.assert_allclose(found.predict(X), expected.predict(X), rtol=1e-6)
    found = ClassificationSelector(2, **quick).fit(X, torch.from_numpy(classes).to(dtype))
    assert found.classes_.tolist() == [0, 1, 2]


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_quantized_rows(X, quick):
    quantized = torch.quantize_per_tensor(torch.from_numpy(X).float(), 0.1, 0, torch.qint8)
    ReconstructionSelector(2, **quick).fit(quantized).reconstruct(quantized)


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        (torch.empty(9, 3, device="meta"), np.arange(9), "X is a meta tensor"),
        (np.eye(9), torch.arange(9) * 1j, "y is a tensor of complex numbers"),
        (np.eye(9), torch.empty(9, device="meta"), "y is a meta tensor"),
    ],
    ids=["meta X", "complex y", "meta y"],
)
def test_tensors_without_real_numbers(X, y, sentence, quick):
    with pytest.raises(InputError, match=sentence):
        RegressionSelector(2, **quick).fit(X, y)


@pytest.mark.filterwarnings("ignore:y is 3 in every row")
@pytest.mark.parametrize("n_targets", [1, 2])
def test_lasso_of_a_constant_target(X, values, quick, n_targets):
    y = np.column_stack([np.full(len(X), 3.0), values])[:, :n_targets]
    selector = RegressionSelector(2, **quick | {"method": "lasso"}).fit(X, y)
    assert selector.get_support().sum() == 2
    assert np.isfinite(selector.predict(X)).all()


@pytest.mark.parametrize(
    "settings", [{"scale": None}, {"method": UnsupervisedDiscriminative(ridge=0.0)}]
)
def test_udfs_of_singular_scatters(X, quick, settings):
    large = X * (1e16 if "scale" in settings else 1.0)
    selector = ReconstructionSelector(2, **{"method": "udfs", **quick, **settings}).fit(large)
    assert selector.get_support().sum() == 2


def test_lazy_frames_dicts_and_structured_arrays_are_refused_with_what_to_pass_instead(
    X, classes, quick
):
    frame = pl.DataFrame(X)
    selector = ClassificationSelector(2, **quick)
    with pytest.raises(InputError, match=r"X is a LazyFrame.*: pass X\.collect\(\)"):
        selector.fit(frame.lazy(), classes)
    with pytest.raises(InputError, match=r"X is a dict.* pandas\.DataFrame\(X\)"):
        selector.fit(frame.to_dict(), classes)
    with pytest.raises(InputError, match=r"X is a recarray.* pandas\.DataFrame\(X\)"):
        selector.fit(pd.DataFrame(X).to_records(index=False), classes)
    with pytest.raises(InputError, match=r"X is a list of dicts.* pandas\.DataFrame\(X\)"):
        selector.fit(frame.to_dicts(), classes)
    with pytest.raises(InputError, match=r"pass X\.collect\(\)"):
        selector.fit(frame, classes).predict(frame.lazy())


def test_frames_of_dask_are_refused_with_what_to_pass_instead(X, classes, quick):
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(pd.DataFrame(X), npartitions=2)
    with pytest.raises(InputError, match=r"X is a DataFrame of dask.*: pass X\.compute\(\)"):
        ClassificationSelector(2, **quick).fit(frame, classes)


@pytest.mark.parametrize("path", ["folder/rows.csv", Path("rows.parquet")])
def test_a_path_is_refused_with_what_reads_it(X, classes, quick, path):
    with pytest.raises(InputError, match=r"path '.*rows\.\w+': expected rows, .*read_table"):
        ClassificationSelector(2, **quick).fit(path, classes)
