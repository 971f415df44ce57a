"""Decoders of small tables are adapted to correlated columns, where this predicts better."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import RidgeCV
from sklearn.preprocessing import StandardScaler

import ipcae
from ipcae import ClassificationSelector, Mlp, RegressionSelector
from ipcae.decoders import linear_decoder
from ipcae.ridge import PENALTIES
from ipcae.runs import Runs
from ipcae.selection import Selection
from ipcae.training.choices import adapting
from ipcae.training.choices.adapting import LINEAR, USUAL, WHITENED, adaptations, whitening
from tests.problems import decoded, require_decoded_alone_as_together, with_own_targets

N_ROWS, N_TRAIN, K = 160, 120, 4


def spectra(seed=0, rows=N_ROWS):
    """Return columns that are nearly the same, and how they differ."""
    random = np.random.default_rng(seed)
    common, differences = random.normal(size=(rows, 1)), random.normal(size=(rows, K))
    return common + 0.05 * differences, differences


def targets(kind, differences):
    """Return targets for which this kind of decoder is best."""
    first, second = differences[:, 0], differences[:, 1]
    return {
        LINEAR: first - 2 * second,
        WHITENED: np.sin(2 * first) + np.square(second),
        USUAL: np.random.default_rng(1).normal(size=len(first)),
    }[kind]


@pytest.fixture(scope="module")
def problem():
    """Return a problem with a run for every kind of decoder, each with rows of its own."""
    X, differences = spectra()
    y = np.stack([targets(kind, differences) for kind in (LINEAR, WHITENED, USUAL)])
    y = (y - y.mean(1, keepdims=True)) / y.std(1, keepdims=True)
    return with_own_targets(X, y, N_TRAIN)


def test_each_run_gets_the_decoder_that_suits_its_targets(problem):
    selections = [Selection.of(np.arange(K), K)] * 3
    assert [each.kind for each in adaptations(problem, selections)] == [LINEAR, WHITENED, USUAL]
    assert decoded(problem).decoders == [LINEAR, WHITENED, USUAL]


@pytest.mark.parametrize(("same_rows", "n_compared"), [(True, 2), (False, 3)])
def test_runs_with_the_same_features_and_rows_are_adapted_once(
    problem, monkeypatch, same_rows, n_compared
):
    compared = []
    monkeypatch.setattr(adapting, "_adaptation", lambda *given: compared.append(given))
    if same_rows:
        problem = replace(problem, rows=replace(problem.rows, weights=None), held_out=False)
    lists = [np.arange(K), np.arange(K - 1), np.arange(K)]
    adaptations(problem, [Selection.of(features, K) for features in lists])
    assert len(compared) == n_compared


def test_a_run_of_a_mixed_batch_equals_the_run_alone(problem):
    require_decoded_alone_as_together(problem)
    assert decoded(problem).model.decoder == Mlp(hidden=(16,), skip=True)


def test_a_batch_of_linear_decoders_has_no_hidden_layer(problem):
    part = replace(problem.of_runs([0, 0]), runs=Runs.of([1, 2], learning_rate=1e-3))
    assert decoded(part).model.decoder == linear_decoder()


def test_runs_are_not_adapted_unless_the_problem_is_adaptive(problem):
    assert decoded(replace(problem, adaptive=False)).decoders == [USUAL] * 3


def test_many_rows_get_neither_linear_decoders_nor_whitened_inputs(problem, monkeypatch):
    monkeypatch.setattr(adapting, "MOST_ROWS", N_ROWS - 1)
    monkeypatch.setattr(adapting, "MOST_WHITENED", N_ROWS - 1)
    monkeypatch.setattr(adapting, "_FITTED", N_ROWS // 2)
    assert decoded(problem).decoders == [USUAL] * 3


def test_rows_of_weight_zero_do_not_count(problem):
    run = problem.of_runs([0])
    spoiled, weights = run.rows.inputs.clone(), run.rows.weights.clone()
    spoiled[100:N_TRAIN] = 1000 * torch.randn(20, K, generator=torch.Generator().manual_seed(0))
    weights[:, 100:] = 0
    weighted = replace(run, rows=replace(run.rows, inputs=spoiled, weights=weights))
    (found,) = adaptations(weighted, [Selection.of(np.arange(K), K)])
    assert found.kind == LINEAR


def test_weights_that_all_runs_share_may_be_zero(problem):
    run = problem.of_runs([0])
    rows, validation = run.rows.of_run(0), run.validation.of_run(0)
    weights = (torch.arange(N_TRAIN) < 50).float()
    weighted = replace(
        run,
        rows=replace(rows, weights=weights),
        validation=replace(validation, weights=torch.ones(len(validation))),
    )
    (found,) = adaptations(weighted, [Selection.of(np.arange(K), K)])
    assert found.kind == LINEAR


@pytest.mark.parametrize("n_rows", [2, 9])
def test_too_few_rows_are_not_adapted_to(problem, n_rows):
    few = replace(problem, rows=problem.rows.take(slice(n_rows)), held_out=False)
    assert decoded(few).decoders == [USUAL] * 3


def test_whitened_inputs_have_equal_variances_in_all_directions():
    X, _ = spectra()
    X = X - X.mean(0)
    values = X @ whitening(X, 1e-9)
    covariance = values.T @ values / len(X)
    np.testing.assert_allclose(covariance, np.eye(K) * X.var(0).mean(), atol=1e-5)


def fitted(kind, **settings):
    X, differences = spectra()
    y = targets(kind, differences)
    settings = {"max_epochs": 5, "random_state": 0, **settings}
    return RegressionSelector(K, method="anova", **settings).fit(X, y)


@pytest.mark.parametrize("kind", [LINEAR, WHITENED, USUAL])
def test_a_selector_knows_what_its_decoder_became_and_can_be_saved(kind, tmp_path):
    selector = fitted(kind)
    assert selector.decoders_ == [kind]
    X = spectra(seed=1, rows=20)[0]
    selector.save(tmp_path / "selector.safetensors")
    loaded = ipcae.load(tmp_path / "selector.safetensors")
    assert loaded.decoders_ == [kind]
    np.testing.assert_array_equal(loaded.predict(X), selector.predict(X))
    exported = selector.to_torch()(torch.from_numpy(X).float()).detach().numpy().ravel()
    np.testing.assert_allclose(exported, selector.predict(X), rtol=1e-3, atol=1e-3)


def test_the_linear_decoder_of_numbers_is_a_ridge_regression():
    X, differences = spectra()
    selector = fitted(LINEAR, decoder="linear", scale="standard")
    assert selector.decoders_ == [USUAL]
    y = targets(LINEAR, differences)
    scaler = StandardScaler().fit(X)
    judge = RidgeCV(PENALTIES).fit(scaler.transform(X), (y - y.mean()) / y.std())
    expected = judge.predict(scaler.transform(X)) * y.std() + y.mean()
    np.testing.assert_allclose(selector.predict(X), expected, rtol=1e-3, atol=1e-3)


def test_a_given_decoder_is_not_adapted():
    assert fitted(WHITENED, decoder=Mlp(hidden=(16,))).decoders_ == [USUAL]


def test_rows_in_groups_are_not_adapted_to():
    X, differences = spectra()
    selector = RegressionSelector(K, method="anova", max_epochs=1)
    selector.fit(X, targets(LINEAR, differences), groups=np.arange(N_ROWS) // 4)
    assert selector.decoders_ == [USUAL]


def test_classes_of_spectra_are_told_apart():
    X, differences = spectra(rows=300)
    y = differences[:, 0] > differences[:, 1]
    selector = ClassificationSelector(K, method="anova", random_state=0).fit(X[:200], y[:200])
    assert selector.decoders_ == [WHITENED]
    usual = ClassificationSelector(
        K, method="anova", random_state=0, decoder=ipcae.tasks.Classification.small_decoder
    ).fit(X[:200], y[:200])
    assert selector.score(X[200:], y[200:]) > usual.score(X[200:], y[200:]) + 0.05
