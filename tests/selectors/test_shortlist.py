"""A ranking, then a joint method among the best."""

import numpy as np
import pytest
import torch

from ipcae import ClassificationSelector, ReconstructionSelector, load
from ipcae.errors import InputError
from ipcae.losses import CrossEntropy
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Anova, ColumnSubset, Concrete, Shape, Shortlist
from ipcae.selectors.classical import Examples
from ipcae.tasks import Classification, Reconstruction
from ipcae.training import Plan
from tests.problems import problem

QUICK = {"max_epochs": 4, "decoder": (8,), "random_state": 0}
N_FEATURES = 30
JOINT = Shortlist(Anova(), factor=4, alternatives=())  # always trains the joint method


@pytest.fixture(scope="module")
def table():
    """Return 90 rows of which columns 3 and 17 decide the class."""
    X = np.random.default_rng(0).normal(size=(90, N_FEATURES))
    return X, (X[:, 3] + X[:, 17] > 0).astype(int)


@pytest.fixture(scope="module")
def selector(table):
    return ClassificationSelector(2, method=JOINT, n_runs=3, **QUICK).fit(*table)


def test_only_features_of_the_shortlist_are_selected(selector, table):
    X, y = table
    best = set(np.argsort(-Anova().scores(_examples(X, y), 8, 0))[:8].tolist())
    for selection in selector.selections_:
        assert set(selection.features) <= best
        assert set(np.flatnonzero(selection.probability)) <= best
        assert selection.probability.shape == (N_FEATURES,)


def _examples(X, y):
    return Examples(X, y[:, None].astype(float), discrete=True)


def test_predictions_read_the_selected_columns_of_the_whole_table(selector, table):
    X, _ = table
    for run in range(3):
        one = selector.with_run(run)
        changed = np.where(one.get_support(), X, 1e3)
        np.testing.assert_array_equal(one.predict_proba(changed), one.predict_proba(X))
        model = one.model_.predict(one.params_, one.scaler_.apply(torch.from_numpy(X)).float())
        np.testing.assert_allclose(
            torch.softmax(model[run], -1)[:, 1], one.predict_proba(X)[:, 1], atol=1e-5
        )


def test_batched_equals_alone(selector, table):
    alone = ClassificationSelector(2, method=JOINT, **QUICK).fit(*table)
    np.testing.assert_array_equal(alone.selection_.features, selector.selections_[0].features)
    assert alone.validation_loss_[0] == selector.validation_loss_[0]


def test_all_columns_are_reconstructed_from_a_few_of_the_shortlist(table):
    X, _ = table
    method = Shortlist(ColumnSubset(), factor=2)
    selector = ReconstructionSelector(3, method=method, **QUICK).fit(X)
    assert selector.reconstruct(X).shape == X.shape


def test_included_features_are_selected_and_excluded_ones_are_not(table):
    X, y = table
    selector = ClassificationSelector(
        3, method=Shortlist(Anova()), include=[0], exclude=[3], **QUICK
    ).fit(X, y)
    chosen = selector.get_support(indices=True)
    assert 0 in chosen
    assert 3 not in chosen


def test_a_fitted_selector_is_saved_and_loaded(selector, table, tmp_path):
    selector.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.method_ == JOINT
    np.testing.assert_array_equal(again.predict_proba(table[0]), selector.predict_proba(table[0]))


def test_a_shortlist_needs_what_its_ranking_needs():
    assert Shortlist(Anova()).supports(Classification)
    assert not Shortlist(Anova()).supports(Reconstruction)
    with pytest.raises(InputError, match="needs a target to predict"):
        ReconstructionSelector(2, method="shortlist").fit(np.eye(6))


def test_memory_is_that_of_the_shorter_table():
    shape = Shape(ClassificationSelector._task.decoder, 10_000, 10, 2)
    short = Shape(ClassificationSelector._task.decoder, 30, 10, 2)
    on_shortlist = Shortlist().sampling_bytes(shape, 1, 16, True)
    assert on_shortlist == Concrete().sampling_bytes(short, 1, 16, True)


def test_runs_with_rows_of_their_own_have_shortlists_of_their_own(table):
    X, _ = table
    inputs = torch.from_numpy(X).float()
    # Column 3 decides the targets of the first two runs, column 17 those of the third.
    targets = torch.cat([(inputs[:, column] > 0).long() for column in (3, 17)])
    weights = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).repeat_interleave(len(X), 1)
    rows = Rows(inputs.repeat(2, 1), targets, weights)
    runs = Runs.of([5, 6, 5], 1e-2)
    stated = problem(
        CrossEntropy(), rows, rows, runs, Plan(max_epochs=3, batch_size=32), n_selected=1
    )
    method = Shortlist(Anova(), factor=2, alternatives=())
    choice = method.choose(stated)
    assert [3 in s.probability.nonzero()[0] for s in choice.selections] == [True, True, False]
    assert set(choice.history.columns()["run"]) == {0, 1, 2}
    for run in range(3):
        alone = method.choose(stated.of_runs([run]))
        assert alone.validation_loss[0] == choice.validation_loss[run]
        np.testing.assert_array_equal(alone.selections[0].features, choice.selections[run].features)
        for name, tensor in alone.params.items():
            assert torch.equal(tensor[0], choice.params[name][run]), name


def test_a_group_is_on_the_shortlist_as_a_whole(table):
    X, y = table
    selector = ClassificationSelector(
        2, method=Shortlist(Anova()), feature_groups={"pair": [3, 4]}, **QUICK
    ).fit(X, y)
    chosen = set(selector.get_support(indices=True))
    assert (3 in chosen) == (4 in chosen)
