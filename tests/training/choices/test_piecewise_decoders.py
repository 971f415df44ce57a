"""Decoders read piecewise linear functions of the columns, where these predict better."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import ipcae
from ipcae import ClassificationSelector, Mlp, RegressionSelector
from ipcae.decoders import linear_decoder
from ipcae.selection import Selection
from ipcae.training import decode
from ipcae.training.choices import adapting
from ipcae.training.choices.adapting import (
    ADDITIVE,
    LINEAR,
    MOST_ROWS,
    PIECEWISE,
    USUAL,
    adaptations,
)
from ipcae.training.choices.pieces import N_STEPS, Pieces
from ipcae.training.epochs.validation import outputs_of
from ipcae.training.fit import untrained
from ipcae.training.plan import TALL_COLUMNS
from tests.problems import decoded, require_decoded_alone_as_together, with_own_targets

N_ROWS, N_TRAIN, K = 300, 240, 3
KINDS = [ADDITIVE, USUAL, PIECEWISE, LINEAR]


def table(rows=N_ROWS, seed=0):
    return np.random.default_rng(seed).uniform(-1.7, 1.7, size=(rows, K))


def targets(kind, X):
    """Return targets for which this kind of decoder is best."""
    first, second = np.sin(5 * X[:, :2]).T
    return {
        ADDITIVE: first + second + 0.5 * X[:, 2],
        PIECEWISE: first * X[:, 2] + second,
        LINEAR: X[:, 0] - X[:, 1],
        USUAL: X[:, 0] * X[:, 1],
    }[kind]


@pytest.fixture(scope="module")
def problem():
    """Return a problem with a run for every kind of decoder, each with rows of its own."""
    X = table()
    y = np.stack([targets(kind, X) for kind in KINDS])
    y = (y - y.mean(1, keepdims=True)) / y.std(1, keepdims=True)
    return with_own_targets(X, y, N_TRAIN)


def test_each_run_gets_the_decoder_that_suits_its_targets(problem):
    selections = [Selection.of(np.arange(K), K)] * 4
    assert [each.kind for each in adaptations(problem, selections)] == KINDS
    assert decoded(problem).decoders == KINDS


def test_a_run_of_a_mixed_batch_equals_the_run_alone(problem):
    require_decoded_alone_as_together(problem)
    assert decoded(problem).model.decoder == Mlp(hidden=(16,), skip=True, pieces=N_STEPS)


def test_additive_and_linear_decoders_together_have_no_hidden_layer(problem):
    part = problem.of_runs([0, 3])
    assert decoded(part).model.decoder == replace(linear_decoder(), pieces=N_STEPS)


def test_unused_inputs_have_no_steps(problem):
    part = problem.of_runs([0])
    selections = [Selection.of(np.arange(K), K)]
    wide = decode(part, selections, untrained(1), n_inputs=K + 2)
    narrow = decoded(part)
    outputs = (outputs_of(each.model, each.params, part.validation) for each in (wide, narrow))
    torch.testing.assert_close(*outputs)


@pytest.mark.parametrize("kind", [ADDITIVE, PIECEWISE])
def test_a_selector_predicts_waves_that_a_smooth_network_does_not(kind):
    X, new = table(), table(500, seed=9)
    settings = {"method": "anova", "random_state": 0}
    selector = RegressionSelector(K, **settings).fit(X, targets(kind, X))
    usual = RegressionSelector(K, **settings, decoder=(512,)).fit(X, targets(kind, X))
    assert selector.decoders_ == [kind]
    assert selector.score(new, targets(kind, new)) > 0.9
    assert usual.score(new, targets(kind, new)) < 0.5


def test_tables_with_more_than_a_thousand_rows_are_adapted_to():
    X = table(1200)
    selector = RegressionSelector(K, method="anova", max_epochs=1).fit(X, targets(ADDITIVE, X))
    assert selector.decoders_ == [ADDITIVE]


def test_of_many_rows_some_are_predicted_from_others(problem, monkeypatch):
    monkeypatch.setattr(adapting, "MOST_ROWS", N_ROWS - 1)
    monkeypatch.setattr(adapting, "_FITTED", N_ROWS // 2)
    selections = [Selection.of(np.arange(K), K)] * 4
    kinds = [each.kind for each in adaptations(problem, selections)]
    assert kinds == [PIECEWISE, USUAL, PIECEWISE, USUAL]


@pytest.mark.parametrize(("n_columns", "kind"), [(TALL_COLUMNS, PIECEWISE), (201, USUAL)])
def test_tables_with_many_rows_and_few_columns_are_adapted_to(n_columns, kind):
    X = np.zeros((MOST_ROWS + 1, n_columns))
    X[:, :K] = table(MOST_ROWS + 1)
    X[0] = 1  # no column is constant
    y = targets(PIECEWISE, X)
    settings = {"include": range(K), "max_epochs": 1, "fine_tune": False, "refit": False}
    selector = RegressionSelector(K, method="anova", random_state=0, **settings).fit(X, y)
    assert selector.decoders_ == [kind]


def test_waves_of_classes_are_told_apart():
    X, new = table(400), table(500, seed=9)
    y, expected = (targets(ADDITIVE, rows) > 0 for rows in (X, new))
    selector = ClassificationSelector(K, method="anova", random_state=0).fit(X, y)
    assert selector.decoders_ == [PIECEWISE]
    assert selector.score(new, expected) > 0.85


@pytest.mark.parametrize("kind", [ADDITIVE, PIECEWISE])
def test_a_selector_with_steps_can_be_saved_and_exported(kind, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, new = table(), table(20, seed=1).astype(np.float32)
    selector = RegressionSelector(K, method="anova", max_epochs=5, random_state=0)
    selector.fit(X, targets(kind, X))
    assert selector.decoders_ == [kind]
    selector.save(tmp_path / "selector.safetensors")
    loaded = ipcae.load(tmp_path / "selector.safetensors")
    np.testing.assert_array_equal(loaded.predict(new), selector.predict(new))
    exported = selector.to_torch()(torch.from_numpy(new)).detach().numpy().ravel()
    np.testing.assert_allclose(exported, selector.predict(new), rtol=1e-3, atol=1e-3)
    selector.to_onnx(tmp_path / "selector.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "selector.onnx")
    (run,) = session.run(None, {"X": new})
    np.testing.assert_allclose(run.ravel(), selector.predict(new), rtol=1e-3, atol=1e-3)


def test_columns_of_two_values_or_of_none_have_no_steps():
    X = np.stack([np.arange(40) % 2, np.zeros(40), np.arange(40)], 1).astype(float)
    slope, shift = Pieces.placed(X, n_pieces=4)
    assert not slope[:2].any()
    assert not shift[:2].any()
    assert (slope[2] > 0).sum() == 4


def test_steps_rise_between_quantiles_and_stay_constant_beyond_the_rows():
    X = np.exp(np.random.default_rng(0).normal(size=(200, 1)))
    pieces = Pieces.placed(X, n_pieces=6)
    steps = pieces.steps(np.sort(X, 0))
    assert (np.diff(steps, axis=0) >= 0).all()
    outside = pieces.steps(np.array([[-100.0], [1e6]]))
    np.testing.assert_allclose(outside, pieces.steps(np.array([X.min(0), X.max(0)])), atol=1e-9)
