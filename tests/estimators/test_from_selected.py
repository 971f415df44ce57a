"""The selected columns alone are enough to predict from."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from ipcae import ClassificationSelector, InputError, ReconstructionSelector, RegressionSelector

FORMS = {
    "array": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: (100 * X).astype(int),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abcdef")),
    "csr": sparse.csr_array,
    "tensor": torch.from_numpy,
    "tensor of float32": lambda X: torch.from_numpy(X).float(),
    "tensor of integers": lambda X: torch.from_numpy(100 * X).long(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("kind", [ClassificationSelector, RegressionSelector])
def test_the_target_is_predicted_from_the_selected_columns(X, classes, values, quick, kind, form):
    rows = form(X)
    selector = kind(3, **quick).fit(rows, classes if kind is ClassificationSelector else values)
    np.testing.assert_array_equal(
        selector.predict_from_selected(selector.transform(rows)), selector.predict(rows)
    )


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("n_selected", [3, 6])
def test_all_columns_are_reconstructed_from_the_selected_ones(X, quick, form, n_selected):
    rows = form(X)
    selector = ReconstructionSelector(n_selected, **quick).fit(rows)
    np.testing.assert_array_equal(
        selector.reconstruct(selector.transform(rows)), selector.reconstruct(rows)
    )


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_data_frames_of_the_selected_columns_are_taken(X, values, quick, container):
    table = pd.DataFrame(X, columns=list("abcdef"))
    selector = RegressionSelector(3, **quick).set_output(transform=container).fit(table, values)
    np.testing.assert_array_equal(
        selector.predict_from_selected(selector.transform(table)), selector.predict(table)
    )


@pytest.mark.parametrize("shape", [(80, 6), (80, 1), (2,), (3, 2, 1)])
def test_a_wrong_number_of_columns_is_refused(X, values, quick, shape):
    selector = RegressionSelector(2, **quick).fit(X, values)
    with pytest.raises(InputError, match="Expected the 2 selected columns"):
        selector.predict_from_selected(np.zeros(shape))


def test_a_wrong_number_of_columns_cannot_be_reconstructed_from(X, quick):
    selector = ReconstructionSelector(2, **quick).fit(X)
    for width in (1, 3, 5, 7):
        with pytest.raises(InputError, match="Expected the 2 selected columns"):
            selector.reconstruct(np.zeros((80, width)))


def test_missing_values_are_refused_here_too(X, values, quick):
    selector = RegressionSelector(2, **quick).fit(X, values)
    with pytest.raises(InputError, match=r"X_selected contains 1 NaN value .*1: 1"):
        selector.predict_from_selected([[0.0, np.nan], [0.0, 1.0]])


def test_no_rows_give_no_predictions(X, classes, quick):
    selector = ClassificationSelector(3, **quick).fit(X, classes)
    assert selector.predict_from_selected(np.zeros((0, 3))).shape == (0,)
