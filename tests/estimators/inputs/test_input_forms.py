"""The same rows in any form give the same selection and the same predictions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from scipy import sparse

from ipcae import ClassificationSelector, InputError, ReconstructionSelector

NAMES = list("abcdef")


@pytest.fixture
def counts():
    """Return small counts, which every form can hold exactly."""
    return np.random.default_rng(0).poisson(2.0, size=(80, 6))


@pytest.fixture
def classes(counts):
    return (counts[:, 1] > counts[:, 4]).astype(int)


@pytest.fixture
def settings(quick):
    return quick | {"max_epochs": 8, "learning_rate": 1e-2, "device": "cpu"}


@pytest.fixture
def expected(counts, classes, settings):
    """Return the selector and its answers for plain float64 rows."""
    rows = counts.astype(np.float64)
    selector = ClassificationSelector(3, **settings).fit(rows, classes)
    return selector, selector.predict_proba(rows)


def read_only(counts):
    rows = counts.astype(np.float64)
    rows.flags.writeable = False
    return rows


EXACT = {
    "int64": np.asarray,
    "int32": lambda counts: counts.astype(np.int32),
    "uint8": lambda counts: counts.astype(np.uint8),
    "float16": lambda counts: counts.astype(np.float16),
    "other byte order": lambda counts: counts.astype(np.float64).byteswap().view(">f8"),
    "read-only": read_only,
    "Fortran order": lambda counts: np.asfortranarray(counts, dtype=np.float64),
    "every second of twice the columns": lambda counts: np.repeat(counts * 1.0, 2, axis=1)[:, ::2],
    "a view in reverse": lambda counts: counts[:, ::-1].astype(np.float64)[:, ::-1],
    "lists": lambda counts: counts.tolist(),
    "objects": lambda counts: counts.astype(object),
    "csr array": sparse.csr_array,
    "csc array": sparse.csc_array,
    "coo array": sparse.coo_array,
    "csr matrix": sparse.csr_matrix,
    "csc matrix": sparse.csc_matrix,
    "coo matrix": sparse.coo_matrix,
    "pandas": lambda counts: pd.DataFrame(counts, columns=NAMES),
    "pandas with nullable integers": lambda counts: pd.DataFrame(counts).astype("Int64"),
    "pandas with objects": lambda counts: pd.DataFrame(counts, columns=NAMES).astype(object),
    "polars": lambda counts: pl.DataFrame(counts, schema=NAMES),
    "tensor of float64": lambda counts: torch.from_numpy(counts).double(),
    "tensor of int64": torch.from_numpy,
    "tensor of uint8": lambda counts: torch.from_numpy(counts).to(torch.uint8),
    "tensor of float16": lambda counts: torch.from_numpy(counts).half(),
    "sparse tensor": lambda counts: torch.from_numpy(counts).double().to_sparse(),
    "tensor that requires gradients": lambda counts: torch.tensor(
        counts, dtype=torch.float64, requires_grad=True
    ),
}
# Scaled in float32, which rounds otherwise.
CLOSE = {
    "float32": lambda counts: counts.astype(np.float32),
    "csr array of float32": lambda counts: sparse.csr_array(counts, dtype=np.float32),
    "tensor of float32": lambda counts: torch.from_numpy(counts).float(),
}


@pytest.mark.parametrize("form", EXACT.values(), ids=EXACT.keys())
def test_every_form_gives_the_same_answer(form, counts, classes, settings, expected):
    rows = form(counts)
    selector = ClassificationSelector(3, **settings).fit(rows, classes)
    np.testing.assert_array_equal(selector.get_support(), expected[0].get_support())
    np.testing.assert_array_equal(selector.predict_proba(rows), expected[1])
    np.testing.assert_array_equal(selector.validation_loss_, expected[0].validation_loss_)


@pytest.mark.parametrize("form", CLOSE.values(), ids=CLOSE.keys())
def test_single_precision_gives_nearly_the_same_answer(form, counts, classes, settings, expected):
    rows = form(counts)
    selector = ClassificationSelector(3, **settings).fit(rows, classes)
    np.testing.assert_array_equal(selector.get_support(), expected[0].get_support())
    np.testing.assert_allclose(selector.predict_proba(rows), expected[1], atol=1e-3)


@pytest.mark.parametrize("form", (EXACT | CLOSE).values(), ids=(EXACT | CLOSE).keys())
def test_a_fitted_selector_predicts_from_every_form(form, counts, classes, settings, expected):
    rows = form(counts)
    selector, probabilities = expected
    if hasattr(rows, "columns"):  # a selector that knows names expects them, and vice versa
        selector = ClassificationSelector(3, **settings).fit(rows, classes)
    np.testing.assert_allclose(selector.predict_proba(rows), probabilities, rtol=1e-5)
    selected = selector.transform(rows)
    np.testing.assert_array_equal(
        selector.predict_from_selected(
            selected.detach() if torch.is_tensor(selected) else selected
        ),
        selector.predict(rows),
    )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_a_tensor_on_the_gpu_is_trained_there_and_answered_from(counts, classes, settings):
    rows = torch.from_numpy(counts).double().cuda()
    selector = ClassificationSelector(3, **settings | {"device": "auto"}).fit(rows, classes)
    assert selector.transform(rows).device == rows.device
    np.testing.assert_array_equal(selector.predict(rows), selector.predict(counts))
    np.testing.assert_array_equal(
        selector.predict_from_selected(selector.transform(rows)), selector.predict(rows)
    )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_a_tensor_on_the_gpu_can_be_trained_on_the_cpu(counts, classes, settings, expected):
    rows = torch.from_numpy(counts).double().cuda()
    selector = ClassificationSelector(3, **settings).fit(rows, torch.from_numpy(classes).cuda())
    np.testing.assert_array_equal(selector.get_support(), expected[0].get_support())


@pytest.mark.parametrize("scale", ["auto", None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training_leaves_the_rows_as_they_are(X, quick, scale, dtype):
    rows = X.astype(dtype)
    before = rows.copy()
    selector = ReconstructionSelector(2, scale=scale, **quick).fit(rows)
    selector.reconstruct(rows)
    selector.fit(torch.from_numpy(rows)).reconstruct(torch.from_numpy(rows))
    np.testing.assert_array_equal(rows, before)


def test_validation_rows_may_have_another_form(counts, classes, settings):
    val = counts[60:].astype(np.float64)
    forms = [val, sparse.csr_array(val), torch.from_numpy(val), val.tolist()]
    losses = [
        ClassificationSelector(3, **settings)
        .fit(counts[:60], classes[:60], X_val=form, y_val=classes[60:])
        .validation_loss_
        for form in forms
    ]
    np.testing.assert_array_equal(losses, losses[:1] * 4)


def test_given_validation_rows_are_not_trained_on(counts, classes, settings):
    """Other validation rows change the judgement, and nothing else."""
    train, val = slice(60), slice(60, None)
    settings = settings | {"max_epochs": 1, "fine_tune": False}
    selectors = [
        ClassificationSelector(3, **settings).fit(
            counts[train], classes[train], X_val=counts[val], y_val=labels[val]
        )
        for labels in (classes, 1 - classes)
    ]
    first, second = (selector.predict_proba(counts) for selector in selectors)
    np.testing.assert_array_equal(first, second)
    assert selectors[0].validation_loss_ != selectors[1].validation_loss_


def test_the_validation_loss_is_that_of_the_given_rows(counts, classes, settings):
    selector = ClassificationSelector(3, **settings)
    selector.fit(counts[:60], classes[:60], X_val=counts[60:], y_val=classes[60:])
    likelihood = selector.predict_proba(counts[60:])[np.arange(20), classes[60:]]
    np.testing.assert_allclose(selector.validation_loss_, -np.log(likelihood).mean(), rtol=1e-5)


def test_masked_values_are_missing(X, classes, quick):
    masked = np.ma.masked_array(X, mask=X > 1.5)
    with pytest.raises(InputError, match=f"X contains {masked.mask.sum()} NaN"):
        ClassificationSelector(2, **quick).fit(masked, classes)
    filled = masked.filled(np.nan)
    given, plain = (
        ClassificationSelector(2, missing="impute", **quick).fit(rows, classes)
        for rows in (masked, filled)
    )
    np.testing.assert_array_equal(given.predict_proba(masked), plain.predict_proba(filled))
