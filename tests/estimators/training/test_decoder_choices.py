"""The decoders: by name, by widths, as an object, and as a custom network."""

import numpy as np
import pytest
import torch
from torch import nn

from ipcae import ClassificationSelector, Mlp, ReconstructionSelector, RegressionSelector


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("linear", ()),
        ("linear", Mlp(hidden=())),
        ("mlp", Mlp()),
        ("mlp", (200,)),
        ((8, 4), Mlp((8, 4))),
        ([8, 4], (8, 4)),
        ((8,), (np.int64(8),)),
    ],
)
def test_a_decoder_has_several_names(X, values, quick, one, same):
    first, second = (
        RegressionSelector(2, **quick | {"decoder": decoder}).fit(X, values).predict(X)
        for decoder in (one, same)
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("kind", "decoder"),
    [
        (ClassificationSelector, Mlp((128, 128), dropout=0.3, noise=0.2)),
        (RegressionSelector, Mlp((512,))),
        (ReconstructionSelector, Mlp((512, 512), dropout=0.3, skip=True)),
    ],
)
def test_the_default_decoder_suits_the_task(X, classes, quick, kind, decoder):
    default = kind(2, **quick | {"decoder": "auto"}).fit(X, classes)
    assert default.model_.decoder == decoder


def test_the_decoder_of_classes_grows_with_the_rows(X, classes, quick):
    many = np.tile(X, (4, 1)), np.tile(classes, 4)  # 320 rows
    default = ClassificationSelector(2, **quick | {"decoder": "auto"}).fit(*many)
    assert default.model_.decoder == Mlp((512, 512), dropout=0.3, noise=0.2, mixup=0.2)


def test_a_linear_decoder_is_linear(X, values, quick):
    selector = RegressionSelector(2, **quick | {"decoder": "linear"}).fit(X, values)
    middle = (X[:40] + X[40:]) / 2
    np.testing.assert_allclose(
        selector.predict(middle),
        (selector.predict(X[:40]) + selector.predict(X[40:])) / 2,
        atol=1e-6,
    )


def network(n_inputs, n_outputs):
    return nn.Sequential(
        nn.Linear(n_inputs, 16),
        nn.BatchNorm1d(16),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(16, n_outputs),
    )


class Bounded(nn.Module):
    def __init__(self, n_inputs, n_outputs):
        super().__init__()
        self.linear = nn.Linear(n_inputs, n_outputs)

    def forward(self, inputs):
        return torch.tanh(self.linear(inputs))


def test_a_network_with_batch_norm_and_dropout_learns(thorough):
    X = np.random.default_rng(0).normal(size=(300, 10))
    y = X[:, 2] > X[:, 7]
    selector = ClassificationSelector(2, **thorough | {"decoder": network, "n_runs": 2}).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [2, 7]
    assert selector.score(X, y) > 0.95


def test_a_network_predicts_without_dropout_and_row_by_row(X, classes, quick):
    selector = ClassificationSelector(2, **quick | {"decoder": network}).fit(X, classes)
    probabilities = selector.predict_proba(X)
    np.testing.assert_array_equal(selector.predict_proba(X), probabilities)
    # Batch norm uses what it learned in training, not the rows at hand.
    np.testing.assert_allclose(selector.predict_proba(X[:1]), probabilities[:1], rtol=1e-10)


@pytest.mark.parametrize("decoder", [Bounded, nn.Linear, network])
def test_a_class_or_a_function_builds_a_network_for_every_run(X, quick, decoder):
    selector = ReconstructionSelector(2, n_runs=2, **quick | {"decoder": decoder}).fit(X)
    first, second = (selector.with_run(run).reconstruct(X) for run in range(2))
    assert first.shape == X.shape
    assert not np.allclose(first, second)


@pytest.mark.filterwarnings("ignore:X has values far outside")
def test_a_bounded_network_bounds_its_outputs(X, values, quick):
    selector = RegressionSelector(2, **quick | {"decoder": Bounded}).fit(X, values)
    center, scale = selector.task_.scaler.center.item(), selector.task_.scaler.scale.item()
    assert np.abs(selector.predict(100 * X) - center).max() == pytest.approx(scale)
