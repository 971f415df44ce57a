"""Two objectives with one selection: classes and reconstruction."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
import torch
from sklearn.base import clone

from ipcae import ClassificationSelector, InputError, PanelSelector, load
from ipcae.losses import CrossEntropy, CrossEntropyWithReconstruction, SquaredError

FAST = {"max_epochs": 60, "decoder": (32,), "batch_size": 32, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    """Return rows whose class is in column 0, and whose columns 4 to 9 follow a hidden factor."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 10))
    X[:, 4:] = random.normal(size=(300, 1)) + 0.1 * random.normal(size=(300, 6))
    return X, np.where(X[:, 0] > 0, "b", "a")


@pytest.fixture(scope="module")
def fitted(table):
    X, y = table
    return PanelSelector(2, reconstruction_weight=0.4, **FAST).fit(X, y)


def test_one_panel_serves_both_objectives(fitted, table):
    X, y = table
    first, second = fitted.get_support(indices=True).tolist()
    assert first == 0
    assert second >= 4
    assert fitted.score(X, y) > 0.9
    outputs, task = fitted.decoder_outputs(X), fitted.task_
    metrics = task.metrics(outputs, task.encode(y, torch.tensor(X)))
    assert metrics["reconstruction_r2"] > 0.6


def test_the_weight_is_between_the_two_losses():
    random = torch.Generator().manual_seed(0)
    outputs, columns = (
        torch.randn(2, 5, 3 + 4, generator=random),
        torch.randn(5, 4, generator=random),
    )
    classes = torch.tensor([0, 1, 2, 1, 0])
    targets = torch.cat([classes[:, None].float(), columns], 1)
    only_classes = CrossEntropyWithReconstruction(0.0).per_row(outputs, targets)
    only_columns = CrossEntropyWithReconstruction(1.0).per_row(outputs, targets)
    expected = CrossEntropy().per_row(outputs[..., :3].contiguous(), classes) / np.log(3)
    torch.testing.assert_close(only_classes, expected)
    torch.testing.assert_close(only_columns, SquaredError().per_row(outputs[..., 3:], columns))
    mixed = CrossEntropyWithReconstruction(0.25).per_row(outputs, targets)
    torch.testing.assert_close(mixed, 0.75 * only_classes + 0.25 * only_columns)
    constant = CrossEntropyWithReconstruction(0.0).per_row(torch.zeros_like(outputs), targets)
    torch.testing.assert_close(constant, torch.ones(2, 5))


def test_an_invalid_weight_is_refused(table):
    X, y = table
    with pytest.raises(InputError, match="expected 0 to 1"):
        PanelSelector(2, reconstruction_weight=1.5, **FAST).fit(X, y)
    with pytest.raises(InputError, match="is not a number"):
        PanelSelector(2, reconstruction_weight="half", **FAST).fit(X, y)
    with pytest.raises(InputError, match="y is a matrix of labels"):
        PanelSelector(2, **FAST).fit(X, X[:, :3] > 0)


def test_it_is_saved_and_exported(fitted, table, tmp_path):
    X, _ = table
    fitted.save(tmp_path / "panel.safetensors")
    again = load(tmp_path / "panel.safetensors")
    assert again.reconstruction_weight == 0.4
    assert again.task_.loss == CrossEntropyWithReconstruction(0.4)
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(again.reconstruct(X), fitted.reconstruct(X))
    selected = fitted.reconstruct(fitted.transform(X))  # as a ReconstructionSelector takes it
    np.testing.assert_array_equal(selected, fitted.reconstruct(X))
    frame = pd.DataFrame(X).add_prefix("x")
    with_names = clone(fitted).fit(frame, table[1])
    few = frame[with_names.get_feature_names_out()[::-1]]
    np.testing.assert_array_equal(with_names.reconstruct(few), with_names.reconstruct(frame))
    fitted.to_onnx(tmp_path / "panel.onnx", "all")
    session = onnxruntime.InferenceSession(tmp_path / "panel.onnx")
    label, probabilities = session.run(None, {"X": X.astype(np.float32)})
    np.testing.assert_array_equal(label, fitted.predict(X))
    np.testing.assert_allclose(probabilities, fitted.predict_proba(X), atol=1e-5)
    module = fitted.to_torch()
    np.testing.assert_allclose(module(torch.tensor(X)).detach(), fitted.predict_proba(X), atol=1e-5)


def test_the_report_shows_both(fitted, table, tmp_path):
    X, y = table
    page = fitted.report(tmp_path / "panel.html", X, y).read_text()
    assert "R² of all columns" in page
    assert "Confusion matrix" in page
    assert "to distinguish 2 classes and to reconstruct all 10 of them" in page


@pytest.mark.parametrize("method", ["anova", "stg"])
def test_rankings_compare_with_the_classes(table, method):
    X, y = table
    hasty = {**FAST, "max_epochs": 20}
    panel = PanelSelector(1, method=method, reconstruction_weight=0.0, **hasty).fit(X, y)
    classes = ClassificationSelector(1, method=method, **hasty).fit(X, y)
    assert panel.get_support(indices=True).tolist() == [0]
    assert classes.get_support(indices=True).tolist() == [0]


def test_balanced_classes_weigh_the_rows(table):
    X, _ = table
    y = np.where(X[:, 0] > 1.2, "rare", "common")
    selector = PanelSelector(1, method="anova", class_weight="balanced", **FAST).fit(X, y)
    assert selector.predict_proba(X)[y == "rare", 1].mean() > 0.5
