"""With few rows, the decoder of a reconstruction is linear or additive, if that is better."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

import ipcae
from ipcae import Mlp, ReconstructionSelector
from ipcae.ridge import PENALTIES
from ipcae.training.choices.adapting import ADDITIVE, LINEAR, USUAL, same_distances

N_COLUMNS, K = 30, 5


def linear_table(n_rows, seed=0):
    """Return columns that depend linearly on four factors, and noise."""
    weights = np.random.default_rng(9).normal(size=(4, N_COLUMNS))
    random = np.random.default_rng(seed)
    return random.normal(size=(n_rows, 4)) @ weights + 0.5 * random.normal(size=(n_rows, N_COLUMNS))


def circular_table(n_rows, seed=0):
    """Return columns that are cosines of one angle."""
    phases = np.random.default_rng(9).uniform(0, 2 * np.pi, N_COLUMNS)
    random = np.random.default_rng(seed)
    angles = 2 * random.uniform(0, np.pi, (n_rows, 1)) * np.tile([1, 2, 3], N_COLUMNS // 3)
    return np.cos(angles + phases) + 0.1 * random.normal(size=(n_rows, N_COLUMNS))


def additive_table(n_rows, seed=0):
    """Return columns that are steps of one of two other columns."""
    random = np.random.default_rng(seed)
    first = random.normal(size=(n_rows, 2))
    edges = np.linspace(-1.5, 1.5, (N_COLUMNS - 2) // 2)
    steps = [np.sign(first[:, [each]] - edges) for each in range(2)]
    return np.hstack([first, *steps]) + 0.05 * random.normal(size=(n_rows, N_COLUMNS))


@pytest.mark.parametrize(
    ("table", "k", "kind"),
    [(linear_table, K, LINEAR), (additive_table, 2, ADDITIVE), (circular_table, 2, USUAL)],
)
def test_the_decoder_suits_the_table(table, k, kind):
    selector = ReconstructionSelector(k, max_epochs=5, random_state=0).fit(table(300))
    assert selector.decoders_ == [kind]


@pytest.mark.parametrize("n_rows", [20, 40, 150])
def test_a_linear_table_is_reconstructed_as_well_as_by_a_ridge_regression(n_rows):
    X, new = linear_table(n_rows), linear_table(500, seed=1).clip(-5, 5)
    selector = ReconstructionSelector(K, scale="standard", random_state=0).fit(X)
    assert selector.decoders_ == [LINEAR]
    columns = selector.get_support()
    scaler = StandardScaler().fit(X[:, columns])
    judge = RidgeCV(PENALTIES, alpha_per_target=True).fit(scaler.transform(X[:, columns]), X)
    expected = r2_score(new, judge.predict(scaler.transform(new[:, columns])))
    assert r2_score(new, selector.reconstruct(new)) == pytest.approx(expected, abs=0.02)


def test_missing_values_do_not_prevent_a_linear_decoder():
    X, new = linear_table(200), linear_table(500, seed=1)
    whole = ReconstructionSelector(K, random_state=0).fit(X)
    gaps = np.where(np.random.default_rng(2).uniform(size=X.shape) < 0.1, np.nan, X)
    selector = ReconstructionSelector(K, missing="impute", random_state=0).fit(gaps)
    assert selector.decoders_ == [LINEAR]
    assert selector.score(new) > whole.score(new) - 0.1


def test_decoders_are_compared_on_whole_groups():
    groups = np.repeat(np.arange(30), 5)
    random = np.random.default_rng(0)
    X = random.normal(size=(30, N_COLUMNS))[groups] + 0.1 * random.normal(size=(150, N_COLUMNS))
    alike = ReconstructionSelector(K, random_state=0, max_epochs=2).fit(X)
    assert alike.decoders_ == [USUAL]  # it predicts rows that are nearly the same
    selector = ReconstructionSelector(K, random_state=0).fit(X, groups=groups)
    assert selector.decoders_ == [LINEAR]


@pytest.mark.parametrize("settings", [{"loss": "huber"}, {"decoder": "mlp"}])
def test_another_loss_and_a_given_decoder_keep_the_network(settings):
    selector = ReconstructionSelector(K, max_epochs=2, random_state=0, **settings)
    assert selector.fit(linear_table(60)).decoders_ == [USUAL]


@pytest.mark.parametrize(("n_rows", "dropout"), [(299, 0.3), (300, 0.1)])
def test_a_network_for_few_rows_has_more_dropout(n_rows, dropout):
    selector = ReconstructionSelector(2, max_epochs=1, random_state=0).fit(circular_table(n_rows))
    assert selector.model_.decoder == Mlp(hidden=(512, 512), dropout=dropout, skip=True)


def test_many_rows_keep_the_network(monkeypatch):
    monkeypatch.setattr(ipcae.training.choices.adapting, "MOST_ROWS", 59)
    selector = ReconstructionSelector(K, max_epochs=2, random_state=0)
    assert selector.fit(linear_table(60)).decoders_ == [USUAL]


def test_a_linear_decoder_of_a_wide_table_is_computed_in_blocks(monkeypatch):
    X = linear_table(40)
    whole = ReconstructionSelector(K, random_state=0).fit(X).reconstruct(X)
    monkeypatch.setattr("ipcae.tasks.linear_decoder._BLOCK", 100)
    parts = ReconstructionSelector(K, random_state=0).fit(X).reconstruct(X)
    np.testing.assert_allclose(parts, whole, atol=1e-5)


def test_distances_between_rows_of_a_wide_table_do_not_change():
    X = np.random.default_rng(0).normal(size=(6, 20))
    narrow = same_distances(X)
    assert narrow.shape == (6, 6)
    np.testing.assert_allclose(narrow @ narrow.T, X @ X.T)
