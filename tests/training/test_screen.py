"""Screening: which penalty is used, what is kept, and resuming."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import METHODS, LassoNet, StochasticGates
from ipcae.selectors.screening import _centered, constant_loss
from ipcae.selectors.screening_model import ScreeningModel
from ipcae.training import Checkpoint, Plan, curve, train
from tests.problems import Cut, cut_after, problem
from tests.random_tensors import normal

NETWORK = Mlp((16,), slope=0.0, normalize=False)
PLAN = Plan(max_epochs=12, batch_size=16)
RUNS = Runs.of([1, 2], learning_rate=1e-2)
SCREENS = {"stg": StochasticGates(network=NETWORK), "lassonet": LassoNet(network=NETWORK)}


def data(n_rows=120):
    x = normal(n_rows, 12)
    y = (x[:, 2] + x[:, 5] > 0).long()
    return Rows(x[:90], y[:90]), Rows(x[90:], y[90:])


def choose(method, checkpoint=None, cut_at=None, plan=PLAN, n_selected=4):
    settings = {"n_selected": n_selected, "decoder": Mlp((8,)), "fine_tune_epochs": 4}
    settings |= {"callbacks": (cut_after(cut_at),), "checkpoint": checkpoint}
    with checkpoint.locked() if checkpoint else nullcontext():  # as an estimator does
        return method.choose(problem(CrossEntropy(), *data(), RUNS, plan, **settings))


@pytest.mark.parametrize("n_selected", [2, 6])
def test_the_penalty_that_leaves_nearest_to_k_gates_open_is_taken(n_selected):
    gates = StochasticGates(network=NETWORK, epochs=1.0)
    plan = Plan(max_epochs=30, batch_size=16)
    choice = choose(gates, plan=plan, n_selected=n_selected)
    rows, validation = data()
    rows, validation = _centered(rows, validation)
    sizes = tuple(rows.inputs.square().mean(0).sqrt().tolist())
    unit = constant_loss(CrossEntropy(), rows, 2)
    for run, seed in enumerate(RUNS.seeds):
        n_weights = len(gates.penalty_weights)
        grid = Runs.of([seed] * n_weights, 1e-2, [unit * w for w in gates.penalty_weights])
        fit = train(
            ScreeningModel(gates, sizes, 2),
            problem(CrossEntropy(), rows, validation, grid, replace(plan, keep_last=True)),
        )
        counts = gates.is_open(fit.params).sum(1).numpy()
        taken = curve(choice.history.columns(), "open_features", run)[screened(gates, 30)]
        distances = np.abs(np.log((counts + 0.5) / n_selected))
        assert taken == counts[distances.argmin()]
        assert n_selected / 2 <= taken <= 2 * n_selected


def screened(method, max_epochs):
    """Return the number of the last epoch of screening."""
    return method.n_epochs(max_epochs) - 1


@pytest.mark.parametrize("method", SCREENS.values(), ids=SCREENS.keys())
def test_history_tells_of_screening_then_decoding_then_fine_tuning(method):
    history = choose(method).history.columns()
    screened = method.n_epochs(12)
    assert set(history["run"]) == {0, 1}
    assert len(curve(history, "open_features", 0)) == screened
    assert len(curve(history, "validation_loss", 1)) == screened + 12 + 4
    phases = history["phase"][(history["metric"] == "validation_loss") & (history["run"] == 1)]
    expected = ["screening"] * screened + ["decoding"] * 12 + ["fine-tuning"] * 4
    assert phases.tolist() == expected


@pytest.mark.parametrize("method", SCREENS.values(), ids=SCREENS.keys())
@pytest.mark.parametrize("cut_at", [3, 15, 21])
def test_a_screening_that_was_cut_short_resumes_to_the_same_bits(method, cut_at, tmp_path):
    pytest.importorskip("safetensors")
    with pytest.raises(Cut):
        choose(method, Checkpoint(tmp_path, every=2), cut_at=cut_at)
    resumed = choose(method, Checkpoint(tmp_path, every=2, resume=True))
    undisturbed = choose(method)
    for name, tensor in undisturbed.params.items():
        assert torch.equal(tensor, resumed.params[name]), name
    for one, two in zip(undisturbed.selections, resumed.selections, strict=True):
        np.testing.assert_array_equal(one.features, two.features)
    np.testing.assert_array_equal(undisturbed.validation_loss, resumed.validation_loss)


def test_a_ranking_does_not_resume_the_decoders_of_another(tmp_path):
    pytest.importorskip("safetensors")
    choose(METHODS["anova"], Checkpoint(tmp_path))
    with pytest.raises(InputError, match=r"other data or settings \(selected features\)"):
        choose(METHODS["pivoted-qr"], Checkpoint(tmp_path, resume=True))


def test_a_folder_in_use_is_refused(tmp_path):
    pytest.importorskip("safetensors")
    for method in (METHODS["anova"], SCREENS["stg"]):
        choose(method, Checkpoint(tmp_path / str(id(method))))
        with pytest.raises(InputError, match="already contains a checkpoint"):
            choose(method, Checkpoint(tmp_path / str(id(method))))


def test_a_penalty_is_measured_by_the_loss_of_a_constant():
    rows, _ = data()
    assert constant_loss(CrossEntropy(), rows, 2) == pytest.approx(np.log(2))
    reconstruction = Rows(rows.inputs)
    variance = float(rows.inputs.var(0, correction=0).mean())
    assert constant_loss(SquaredError(), reconstruction, 12) == pytest.approx(variance)


def test_a_run_whose_decoder_never_learned_is_left_out():
    runs = Runs.of([1, 2], learning_rate=[1e-2, 1e30])
    settings = {"n_selected": 4, "decoder": Mlp((8,))}
    stated = problem(CrossEntropy(), *data(), runs, PLAN, **settings)
    choice = METHODS["anova"].choose(stated)
    assert choice.status == ["finished", "diverged"]
    assert np.isfinite(choice.validation_loss).tolist() == [True, False]
