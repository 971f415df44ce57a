"""A custom method, with one logit per feature instead of nodes, trains like ours."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from ipcae import ClassificationSelector, Mlp, ReconstructionSelector, TrainingWarning
from ipcae.losses import CrossEntropy
from ipcae.models import FixedSelection, join, part
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selection import Selection
from ipcae.selectors import Joint
from ipcae.training import Plan, curve
from tests.problems import problem

# Sixteen features fill whole vector instructions, so that even a sigmoid is the same bit for bit.
N_FEATURES, N_SELECTED = 16, 3
INFORMATIVE = (2, 5)
AVOIDED = 1e4


@dataclass(frozen=True)
class Subset(Joint):
    """The K largest of D logits, disturbed in training; the gradient is that of a sigmoid."""

    noise: float = 1.0

    def model(self, shape, constraints):
        return SubsetModel(self, shape.final_model, shape.n_features, constraints.avoided)


@dataclass(frozen=True)
class SubsetModel:
    method: Subset
    final_model: FixedSelection
    n_features: int
    avoided: tuple

    def init(self, stream):
        decoder = part(self.final_model.init(stream), "decoder")
        logits = 0.01 * stream.normal(self.n_features)
        logits[:, list(self.avoided)] -= AVOIDED
        return join(subset={"logits": logits}, decoder=decoder)

    def predict(self, params, rows, progress=1.0, stream=None):
        logits = params["subset.logits"]
        preference = logits.detach()
        if stream is not None:
            spread = self.method.noise * (1 - progress)
            preference = preference + spread * stream.normal(self.n_features)
        gate = logits.sigmoid()
        gate = 1 + gate - gate.detach()
        features = self._largest(preference)
        selected = torch.stack([rows[:, own] for own in features])
        selected = selected * gate.gather(1, features).unsqueeze(1)
        return self.final_model.decoder.apply(part(params, "decoder"), selected, stream)

    def predict_with_penalty(self, params, rows, progress, stream):
        return self.predict(params, rows, progress, stream), None

    def after_step(self, params, progress, step_size):
        params["subset.logits"].clamp_(min=-2 * AVOIDED, max=2.0)

    def describe(self, params, progress):
        return {"largest_logit": params["subset.logits"].amax(1)}

    def selections(self, params, unique):
        logits = params["subset.logits"].detach()
        features, probability = self._largest(logits).numpy(), logits.sigmoid().numpy()
        pairs = zip(features, probability, strict=True)
        return [Selection(chosen=own, features=own, probability=share) for own, share in pairs]

    def _largest(self, preference):
        return preference.topk(self.final_model.n_selected).indices.sort().values


@pytest.fixture(scope="module")
def table():
    """Return 300 rows of which two features decide the class of three."""
    X = np.random.default_rng(0).normal(size=(300, N_FEATURES)).astype(np.float32)
    first, second = INFORMATIVE
    return X, (X[:, first] > 0).astype(int) + (X[:, second] > 0)


SETTINGS = {
    "method": Subset(),
    "n_runs": 3,
    "max_epochs": 30,
    "batch_size": 32,
    "learning_rate": 1e-2,
    "decoder": (16,),
    "random_state": 0,
}


@pytest.fixture(scope="module")
def selector(table):
    X, y = table
    return ClassificationSelector(N_SELECTED, **SETTINGS).fit(X[:200], y[:200])


def test_every_run_selects_exactly_k_different_features(selector):
    for selection in selector.selections_:
        assert len(set(selection.features)) == N_SELECTED
        assert selection.support().sum() == N_SELECTED
    assert selector.get_support().sum() == N_SELECTED


def test_it_finds_the_features_that_decide_and_beats_chance(selector, table):
    X, y = table
    assert set(INFORMATIVE) <= set(selector.get_support(indices=True))
    assert np.bincount(y[200:]).max() < 60
    assert selector.score(X[200:], y[200:]) > 0.8


def test_its_history_has_its_own_metric_while_selecting_only(selector):
    history = selector.history_
    assert len(curve(history, "largest_logit", 0)) == 30
    own = history["metric"] == "largest_logit"
    assert set(history["phase"][own]) == {"selecting"}
    assert set(history["phase"]) == {"selecting", "fine-tuning"}
    assert max(curve(history, "largest_logit", 0)) <= 2.0


def test_a_constant_column_is_not_selected(table):
    X, y = table
    X = X.copy()
    X[:, [0, 7]] = 1.0
    constant = ClassificationSelector(N_FEATURES - 2, **{**SETTINGS, "max_epochs": 2})
    with pytest.warns(TrainingWarning, match="constant"):
        constant.fit(X, y)
    assert not constant.get_support()[[0, 7]].any()


def test_it_serves_other_tasks(table):
    reconstruction = ReconstructionSelector(N_SELECTED, **{**SETTINGS, "max_epochs": 2})
    assert reconstruction.fit(table[0]).transform(table[0]).shape == (300, N_SELECTED)


def test_it_resumes_from_a_checkpoint(table, selector, tmp_path):
    X, y = table

    class PowerCutError(Exception):
        pass

    def power_cut(report):
        if report.epoch == 12:
            raise PowerCutError

    fit = ClassificationSelector(N_SELECTED, **SETTINGS, checkpoint=tmp_path, callbacks=power_cut)
    with pytest.raises(PowerCutError):
        fit.fit(X[:200], y[:200])
    fit.set_params(callbacks=None, resume=True).fit(X[:200], y[:200])
    np.testing.assert_array_equal(fit.validation_loss_, selector.validation_loss_)
    np.testing.assert_array_equal(fit.get_support(), selector.get_support())


def test_batched_equals_alone(table):
    X, y = map(torch.from_numpy, table)
    rows, validation = Rows(X[:43], y[:43]), Rows(X[43:60], y[43:60])
    runs = Runs.of([11, 22, 33], learning_rate=[1e-3, 3e-2, 1e-3])
    plan = Plan(max_epochs=4, batch_size=10)
    settings = {"n_selected": N_SELECTED, "decoder": Mlp((17,), dropout=0.2)}

    def choose(runs):
        stated = problem(
            CrossEntropy(), rows, validation, runs, plan, fine_tune_epochs=2, **settings
        )
        return Subset().choose(stated)

    together = choose(runs)
    for run in range(len(runs)):
        alone = choose(runs.subset([run]))
        np.testing.assert_array_equal(
            together.selections[run].features, alone.selections[0].features
        )
        assert together.validation_loss[run] == alone.validation_loss[0]
        for name, tensor in alone.params.items():
            assert torch.equal(tensor[0], together.params[name][run]), name
        for metric in ("train_loss", "validation_loss", "largest_logit"):
            np.testing.assert_array_equal(
                curve(together.history.columns(), metric, run),
                curve(alone.history.columns(), metric, 0),
            )
