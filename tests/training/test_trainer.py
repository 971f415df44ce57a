"""The training loop as a whole."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from ipcae.losses import CrossEntropy, mean_loss
from ipcae.models import FixedSelection
from ipcae.runs import Runs, Stream
from ipcae.training import Plan, curve, train
from ipcae.training.epochs.validation import evaluate
from ipcae.training.threads import denormals
from tests.problems import problem

RUNS = Runs.of([1, 2], 1e-2, penalty_weight=[0.0, 0.3])


def step_by_step(model, rows, run, plan):
    """Train one run with PyTorch's Adam and a plain loop."""
    params = {n: t.requires_grad_() for n, t in model.init(Stream([RUNS.seeds[run]])).items()}
    optimizer = torch.optim.Adam(params.values(), lr=RUNS.learning_rates[run])
    n_batches = -(-len(rows) // plan.batch_size)
    for epoch in range(plan.max_epochs):
        for i in range(n_batches):
            batch = rows.take(slice(i * plan.batch_size, (i + 1) * plan.batch_size))
            stream = Stream([RUNS.seeds[run]], epoch * n_batches + i)
            progress = epoch / plan.max_epochs
            outputs, penalty = model.predict_with_penalty(params, batch.inputs, progress, stream)
            loss = torch.nn.functional.cross_entropy(outputs[0], batch.targets)
            loss = loss + RUNS.penalty_weights[run] * penalty[0]
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return params


def test_training_equals_a_plain_loop_over_the_batches(model, rows, validation):
    plan = Plan(max_epochs=3, batch_size=16, shuffle=False)
    last = []

    class Recording(type(model)):
        def after_step(self, params, progress, step_size):
            last[:] = [{name: tensor.detach().clone() for name, tensor in params.items()}]

    recording = Recording(model.selector, model.decoder, 9, 3, 3)
    train(recording, problem(CrossEntropy(), rows, validation, RUNS, plan))
    for run in range(2):
        for name, tensor in step_by_step(model, rows, run, plan).items():
            torch.testing.assert_close(
                last[0][name][run], tensor[0].detach(), rtol=1e-4, atol=1e-5, msg=name
            )


def test_training_lowers_the_loss_and_raises_the_accuracy(model, rows, validation):
    plan = Plan(max_epochs=60, batch_size=16)
    columns = train(model, problem(CrossEntropy(), rows, rows, RUNS, plan)).history.columns()
    for run in range(2):
        losses = curve(columns, "train_loss", run)
        assert losses[-5:].mean() < 0.8 * losses[:5].mean()
        assert curve(columns, "validation_accuracy", run).max() > 70


def test_a_penalty_raises_the_divergence_of_the_nodes(model, rows, validation):
    plan = Plan(max_epochs=30, batch_size=16)
    runs = Runs.of([1, 1], 1e-2, penalty_weight=[0.0, 2.0])
    columns = train(model, problem(CrossEntropy(), rows, validation, runs, plan)).history.columns()
    assert curve(columns, "gjsd", 1)[-1] > 1.2 * curve(columns, "gjsd", 0)[-1]


def test_the_validation_loss_has_no_penalty(model, validation):
    params = model.init(Stream([1, 2]))
    loss, accuracy = evaluate(model, CrossEntropy(), params, validation)
    outputs = model.predict(params, validation.inputs)
    expected = mean_loss(CrossEntropy().per_row(outputs, validation.targets))
    assert torch.equal(loss, expected)
    right = (outputs.argmax(-1) == validation.targets).double().mean(-1)
    np.testing.assert_allclose(accuracy, 100 * right, rtol=1e-6)


def test_a_training_can_be_repeated(model, rows, validation):
    plan = Plan(max_epochs=3, batch_size=16)
    fits = [train(model, problem(CrossEntropy(), rows, validation, RUNS, plan)) for _ in range(2)]
    for name, tensor in fits[0].params.items():
        assert torch.equal(tensor, fits[1].params[name])


def test_a_training_does_not_touch_the_global_random_state(model, rows, validation):
    before = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    train(model, problem(CrossEntropy(), rows, validation, RUNS, Plan(max_epochs=2, batch_size=16)))
    assert torch.equal(torch.random.get_rng_state(), before[0])
    np.testing.assert_array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002


@pytest.mark.skipif(not denormals._openmp(), reason="needs GNU's OpenMP")
@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("flushed_before", [False, True])
def test_denormal_numbers_are_flushed_in_all_threads_of_a_training_and_then_as_before(
    flushed_before, model, rows, validation, monkeypatch
):
    monkeypatch.setattr(
        "ipcae.training.threads.thread_counts._WORK_PER_THREAD", 1
    )  # use both threads
    tiny, seen = torch.full((2**20,), 1e-39), []  # enough for both threads
    assert torch.count_nonzero(tiny * 0.5) == len(tiny)

    def look(report):
        seen.append(int(torch.count_nonzero(tiny * 0.5)))

    plan = Plan(max_epochs=1, batch_size=16)
    torch.set_flush_denormal(flushed_before)
    try:
        train(model, problem(CrossEntropy(), rows, validation, RUNS, plan, callbacks=(look,)))
        assert seen == [0]
        assert torch.count_nonzero(tiny * 0.5) == (0 if flushed_before else len(tiny))
    finally:
        denormals._flush(False)


FORKED = """
import multiprocessing, sys, torch
from ipcae import ReconstructionSelector
torch.set_num_threads(2)
rows = torch.rand(40, 5).numpy()
fit = ReconstructionSelector(2, max_epochs=1, random_state=0, device="cpu").fit
fit(rows)
torch.ones(2**20).mul(2)  # in two threads, of which a fork leaves one behind

def fit_alone():
    torch.set_num_threads(1)  # PyTorch itself would wait for the other
    fit(rows)

child = multiprocessing.get_context("fork").Process(target=fit_alone, daemon=True)
child.start()
child.join(60)
sys.exit(child.exitcode != 0)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or torch.cuda.is_available(),
    reason="needs forks, in which PyTorch refuses to train if there is a GPU",
)
def test_a_training_in_a_forked_process_ends():
    assert subprocess.run([sys.executable, "-c", FORKED], timeout=100, check=False).returncode == 0


def test_reports_are_means_over_the_runs(model, rows, validation):
    seen = []
    plan = Plan(max_epochs=3, batch_size=16)
    fit = train(
        model, problem(CrossEntropy(), rows, validation, RUNS, plan, callbacks=(seen.append,))
    )
    columns = fit.history.columns()
    for report in seen:
        for metric, mean in report.metrics.items():
            own = [curve(columns, metric, run)[report.epoch] for run in range(2)]
            assert mean == pytest.approx(np.mean(own))


def test_every_callback_is_called_in_turn(model, rows, validation):
    seen = []
    callbacks = (lambda r: seen.append(("a", r.epoch)), lambda r: seen.append(("b", r.epoch)))
    plan = Plan(max_epochs=2, batch_size=16)
    train(model, problem(CrossEntropy(), rows, validation, RUNS, plan, callbacks=callbacks))
    assert seen == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


def test_buffers_are_carried_along_unchanged(model, rows, validation):
    features = torch.tensor([[2, 5, 0], [5, 2, 1]])
    fixed = FixedSelection(model.decoder, 3, 3)
    start = fixed.start_from(model.init(Stream([1, 2])), features)
    plan = Plan(max_epochs=5, batch_size=16)
    fit = train(fixed, problem(CrossEntropy(), rows, validation, RUNS, plan), start=start)
    assert torch.equal(fit.params["buffer:features"], features)
    assert not torch.equal(fit.params["decoder.0.weight"], start["decoder.0.weight"])


def test_a_model_may_project_its_tensors_after_every_step(model, rows, validation):
    class Projected(type(model)):
        def after_step(self, params, progress, step_size):
            params["decoder.0.weight"].detach().clamp_(-0.01, 0.01)

    projected = Projected(model.selector, model.decoder, 9, 3, 3)
    plan = Plan(max_epochs=2, batch_size=16)
    fit = train(projected, problem(CrossEntropy(), rows, validation, RUNS, plan))
    assert fit.params["decoder.0.weight"].abs().max() <= 0.01
