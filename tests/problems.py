"""Problems for tests of the engine, whose task follows from the loss and the targets."""

import numpy as np
import torch

from ipcae import Mlp
from ipcae.losses import BinaryCrossEntropy, CrossEntropy, SquaredError
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selection import Selection
from ipcae.tasks import Classification, Multilabel, Reconstruction, Regression
from ipcae.training import Plan, Problem, decode
from ipcae.training.epochs.validation import outputs_of
from ipcae.training.fit import untrained


class Cut(Exception):
    """What a power cut would be."""


def cut_after(n_epochs):
    """Return a callback that raises :class:`Cut` after as many epochs of all phases."""
    epochs = []

    def cut(report):
        epochs.append(report.epoch)
        if len(epochs) == n_epochs:
            raise Cut

    return cut


def task_for(loss, rows):
    """Return the task that rows with such targets are for."""
    targets = rows.given_targets
    if targets is None:
        return Reconstruction(rows.inputs.shape[1])
    if isinstance(loss, CrossEntropy) or not targets.is_floating_point():
        return Classification(np.arange(int(targets.max()) + 1))
    if isinstance(loss, BinaryCrossEntropy):
        return Multilabel(targets.shape[1])
    return Regression(targets.shape[1], single=targets.shape[1] == 1)


def problem(loss, rows, validation, runs, plan, **settings):
    """Return a problem; the settings are those of :class:`ipcae.training.Problem`."""
    return Problem(task_for(loss, rows), loss, rows, validation, runs, plan, **settings)


def choose_features(model, *arguments, **settings):
    """Let the method of a concrete model choose features, for a problem of the model's sizes."""
    sizes = {name: getattr(model, name) for name in ("n_selected", "decoder", "constraints")}
    stated = problem(*arguments, **sizes, **settings)
    assert stated.task.n_outputs == model.n_outputs
    return model.selector.choose(stated)


def with_own_targets(X, targets, n_train, max_epochs=3):
    """Return a problem whose runs have the same inputs, and targets of their own.

    Its decoders are adapted. Shape: X (N, K), of which the first rows are learned from; targets
    (R, N).
    """
    n_runs, n_rows = targets.shape
    rows = Rows(
        torch.from_numpy(np.tile(X, (n_runs, 1))).float(),
        torch.from_numpy(targets.reshape(-1, 1)).float(),
        torch.eye(n_runs).repeat_interleave(n_rows, 1),
    )
    held_out = torch.arange(n_runs * n_rows) % n_rows >= n_train
    return Problem(
        task=Regression(n_outputs=1, single=True),
        loss=SquaredError(),
        rows=rows.take((~held_out).nonzero().flatten()),
        validation=rows.take(held_out.nonzero().flatten()),
        runs=Runs.of(range(1, n_runs + 1), learning_rate=1e-3),
        plan=Plan(max_epochs=max_epochs, batch_size=16),
        n_selected=X.shape[1],
        decoder=Mlp(hidden=(16,)),
        fine_tune_epochs=2,
        held_out=True,
        refit=True,
        adaptive=True,
    )


def decoded(problem):
    """Train decoders on all features."""
    selection = Selection.of(np.arange(problem.n_features), problem.n_features)
    n_runs = len(problem.runs)
    return decode(problem, [selection] * n_runs, untrained(n_runs))


def require_decoded_alone_as_together(problem):
    """Check that every run gets the decoder, bit for bit, that it gets without the others."""
    every = decoded(problem)
    outputs = outputs_of(every.model, every.params, problem.validation)
    for run in range(len(problem.runs)):
        part = problem.of_runs([run])
        alone = decoded(part)
        own = outputs_of(alone.model, alone.params, part.validation)
        assert torch.equal(own[0], outputs[run])
        assert alone.validation_loss[0] == every.validation_loss[run]
        assert (alone.importance[0] == every.importance[run]).all()
