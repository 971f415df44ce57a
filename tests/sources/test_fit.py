"""Selectors fitted to tables that are read in parts."""

import numpy as np
import pytest
import torch
from scipy import sparse

from ipcae import (
    ClassificationSelector,
    InputError,
    PanelSelector,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    SurvivalSelector,
)
from ipcae.devices import free_bytes
from ipcae.estimators.one_fit import streaming
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import read_table
from ipcae.selectors import recommendation
from ipcae.selectors.classical import rows_to_rank
from ipcae.sources import ArraySource, MemmapSource, as_source
from tests.sources.kinds import KINDS

N_ROWS, N_FEATURES = 240, 9


@pytest.fixture
def X():
    values = np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES))
    values[values < 0] = 0
    return values.astype(np.float32)


def targets_for(selector, X):
    signal = X[:, 2] - X[:, 5]
    if selector is ReconstructionSelector:
        return None
    if selector is SurvivalSelector:
        return np.stack([np.exp(-signal) + 1, X[:, 0] > 0.1], 1)
    return signal if selector is RegressionSelector else (signal > 0).astype(int)


def fitted(selector, X, y, **settings):
    settings = {"method": "ip-cae", "max_epochs": 3, "refit": False, "random_state": 0} | settings
    return selector(3, **settings).fit(X, y)


def assert_same(one, other):
    assert one.params_.keys() == other.params_.keys()
    for name, tensor in one.params_.items():
        assert torch.equal(tensor, other.params_[name]), name
    assert np.array_equal(one.history_["value"], other.history_["value"])
    assert np.array_equal(one.importance_, other.importance_)
    assert np.array_equal(one.data_min_, other.data_min_)
    assert np.array_equal(one.data_max_, other.data_max_)


EVERY_TASK = (
    *(ClassificationSelector, ReconstructionSelector, RegressionSelector),
    *(SurvivalSelector, PanelSelector),
)


@pytest.mark.parametrize(
    ("selector", "kind"),
    [(ClassificationSelector, kind) for kind in KINDS] + [(each, "csr") for each in EVERY_TASK[1:]],
)
def test_a_table_that_fits_into_one_window_gives_the_fit_of_an_array(selector, kind, X, tmp_path):
    y = targets_for(selector, X)
    source = KINDS[kind](tmp_path, X)
    one, other = fitted(selector, X, y), fitted(selector, source, y)
    assert_same(one, other)
    np.testing.assert_allclose(other.scaler_.scale, one.scaler_.scale, rtol=1e-12)
    assert np.array_equal(other.transform(source), one.transform(X))


@pytest.mark.parametrize("settings", [{"shuffle": False}, {"drop_last": True, "n_runs": 2}])
def test_small_windows_give_the_fit_of_an_array_with_the_rows_in_that_order(settings, X):
    y = targets_for(ClassificationSelector, X)
    held_out = {"X_val": X[:40], "y_val": y[:40]}
    source = MemmapSource(X).with_window(X[:50].nbytes)
    settings = {"max_epochs": 1, "fine_tune": False, "scale": None, "batch_size": 16} | settings
    plain = ClassificationSelector(3, method="ip-cae", random_state=0, **settings)
    streamed = plain.fit(source, y, **held_out).params_
    order = np.arange(N_ROWS)
    if plain.shuffle:
        seed = np.random.RandomState(0).randint(2**31 - 1, size=2)[1]
        from ipcae.sources import StreamedRows
        from ipcae.training import Plan
        from ipcae.training.batches import epoch_order

        rows = StreamedRows.of(source, None, None)
        order = epoch_order(rows, Plan(batch_size=16, order_seed=int(seed)), 0).numpy()
    again = ClassificationSelector(3, method="ip-cae", random_state=0, **settings)
    again.set_params(shuffle=False).fit(X[order], y[order], **held_out)
    for name, tensor in again.params_.items():
        assert torch.equal(tensor, streamed[name]), name


def test_all_sources_that_are_not_in_memory_give_the_same_fit_with_small_windows(X, tmp_path):
    y = targets_for(ClassificationSelector, X)
    sources = [make(tmp_path, X).with_window(X[:64].nbytes) for make in KINDS.values()]
    fits = [
        fitted(ClassificationSelector, source, y)
        for source in sources
        if not source.in_memory and source.starts[1] == 4
    ]
    assert len(fits) == 5  # the chunks of the others have other sizes
    for other in fits[1:]:
        assert_same(fits[0], other)


def test_a_table_of_float64_gives_the_fit_of_an_array(X):
    X, y = X.astype(np.float64) * np.pi, targets_for(ClassificationSelector, X)
    one, other = (fitted(ClassificationSelector, table, y) for table in (X, MemmapSource(X)))
    assert_same(one, other)


def test_predictions_are_read_by_name_and_in_parts(X):
    y = targets_for(ClassificationSelector, X)
    names = [f"f{i}" for i in range(N_FEATURES)]
    selector = fitted(ClassificationSelector, ArraySource(X, names), y)
    assert selector.feature_names_in_.tolist() == names
    shuffled = np.random.default_rng(0).permutation(N_FEATURES)
    source = MemmapSource(X[:, shuffled], [names[i] for i in shuffled]).with_window(200)
    plain = ArraySource(X)
    assert np.array_equal(selector.predict(source), selector.predict(plain))
    assert np.array_equal(selector.predict_proba(source), selector.predict_proba(plain))
    assert selector.score(source, y) == selector.score(plain, y)
    with pytest.raises(InputError, match="no column"):
        selector.predict(ArraySource(X, [f"g{i}" for i in range(N_FEATURES)]))
    with pytest.raises(InputError, match="has 8 features"):
        selector.predict(ArraySource(X[:, :8]))


def test_reconstructions_read_the_selected_columns_only(X):
    source = ArraySource(X)
    selector = fitted(ReconstructionSelector, source, None)
    restored = selector.reconstruct(source)
    assert np.array_equal(restored, selector.reconstruct(selector.transform(source)))
    assert selector.score(source) == pytest.approx(selector.score(X))


def test_large_matrices_are_read_in_parts_by_themselves(X, monkeypatch):
    y = targets_for(ClassificationSelector, X)
    matrix = sparse.csr_matrix(X)
    dense = fitted(ClassificationSelector, matrix, y, method=None)
    monkeypatch.setattr(streaming, "free_bytes", lambda device: X.nbytes)
    monkeypatch.setattr(recommendation, "FEW_NUMBERS", X.size - 1)
    streamed = fitted(ClassificationSelector, matrix, y, method=None)
    assert dense.method_ == "adaptive"
    assert streamed.method_ == "ip-cae"
    assert streamed.method_reason_ == "the table is read in parts"


@pytest.mark.parametrize("Selector", [ClassificationSelector, RegressionSelector])
def test_a_small_table_that_is_read_in_parts_is_ranked_like_an_array(Selector):
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 200)).astype(np.float32)
    signal = X[:, :4].sum(1)
    y = signal if Selector is RegressionSelector else signal > 0
    selector = Selector(4, random_state=0).fit(ArraySource(X), y)
    assert selector.method_ == "adaptive"
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 3]


def test_a_shortlist_of_a_table_that_is_read_in_parts_is_ranked_by_a_sample(monkeypatch):
    monkeypatch.setattr(rows_to_rank, "MOST_RANKED", 4500)
    X = np.random.default_rng(0).normal(size=(6000, 12))
    X[:, 1:] += 0.4 * X[:, :-1]
    y = (X[:, 2] * X[:, 7] > 0).astype(int)
    settings = {"decoder": (4,), "fine_tune": False, "batch_size": 512, "max_epochs": 2}
    streamed = fitted(ClassificationSelector, ArraySource(X), y, method=None, **settings)
    assert streamed.method_ == "shortlist"
    assert streamed.method_reason_ == "the table has 6,000 rows and 12 columns"
    assert {2, 7} <= set(streamed.get_support(indices=True))


def test_weights_of_zero_leave_rows_out(X):
    y = targets_for(ClassificationSelector, X)
    weights = (np.arange(N_ROWS) % 3 > 0).astype(float)
    settings = {"method": "ip-cae", "max_epochs": 2, "refit": False, "random_state": 0}
    one, other = (
        ClassificationSelector(3, **settings).fit(table, y, sample_weight=weights)
        for table in (X, ArraySource(X))
    )
    assert_same(one, other)


def test_validation_rows_are_a_bounded_sample(X, monkeypatch):
    monkeypatch.setattr(streaming, "VALIDATION_BYTES", 0)
    table = read_table(ReconstructionSelector(3), ArraySource(np.repeat(X, 5, 0)), None, None)
    for fraction, n_train in ((0.5, 5 * N_ROWS - 100), (None, 5 * N_ROWS)):
        settings = Settings.of(ReconstructionSelector(3, validation_fraction=fraction))
        training, validation = streaming.hold_out_sample(table.rows, table, settings, 0)
        assert (len(training), len(validation)) == (n_train, 100)


@pytest.mark.parametrize("selector", [ClassificationSelector, RegressionSelector])
def test_anova_ranks_a_table_that_is_read_in_parts(X, selector):
    y = targets_for(selector, X)
    settings = {"method": "anova", "exclude": [4]}
    parts = MemmapSource(X).with_window(40 * X.itemsize * N_FEATURES)
    streamed, whole = (fitted(selector, table, y, **settings) for table in (parts, X))
    probability = [each.selection_.probability for each in (streamed, whole)]
    np.testing.assert_allclose(*probability, rtol=1e-5)
    assert streamed.selection_.features.tolist() == whole.selection_.features.tolist()


def test_invalid_tables_are_refused_in_one_sentence(X):
    y = targets_for(ClassificationSelector, X)
    bad = X.copy()
    bad[[3, 9], 4], bad[7, 1] = np.nan, np.inf
    with pytest.raises(InputError, match=r"2 NaN and 1 infinite values in 2 of 9 columns \(1: 1"):
        fitted(ClassificationSelector, ArraySource(bad), y)
    with pytest.raises(InputError, match="240 rows and y has 239"):
        fitted(ClassificationSelector, ArraySource(X), y[1:])
    with pytest.raises(InputError, match="'stg' needs all rows in memory"):
        fitted(ClassificationSelector, ArraySource(X), y, method="stg")
    with pytest.raises(InputError, match="method='auto' needs all rows"):
        fitted(ClassificationSelector, ArraySource(X), y, method="auto")
    with pytest.raises(InputError, match="impute"):
        fitted(ClassificationSelector, ArraySource(X), y, missing="impute")
    with pytest.raises(InputError, match="which is not a count"):
        fitted(ReconstructionSelector, ArraySource(X), None, loss="poisson")
    with pytest.raises(InputError, match="is read in parts"):
        SelectorCV(ClassificationSelector(3), n_features_to_select=[2, 3], cv=2).fit(
            ArraySource(X), y
        )
    with pytest.raises(InputError, match="is empty"):
        ArraySource(X[:0])
    with pytest.raises(InputError, match="expected rows and columns of numbers"):
        ArraySource(np.array([["a"]]))
    with pytest.raises(InputError, match="a list cannot be read in parts"):
        as_source([[1.0]])


def test_a_checkpoint_of_other_rows_is_refused(X, tmp_path):
    y = targets_for(ClassificationSelector, X)
    settings = {"checkpoint": tmp_path / "fit.ckpt", "resume": True}
    fitted(ClassificationSelector, ArraySource(X), y, **settings)
    fitted(ClassificationSelector, ArraySource(X), y, **settings)
    other = X.copy()
    other[5, 5] += 1
    with pytest.raises(InputError, match="rows"):
        fitted(ClassificationSelector, ArraySource(other), y, **settings)


def test_free_memory_is_that_of_the_machine():
    assert free_bytes(torch.device("cpu")) > 2**20
