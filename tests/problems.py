"""Problems for tests of the engine, whose task follows from the loss and the targets."""

import numpy as np

from ipcae.losses import BinaryCrossEntropy, CrossEntropy
from ipcae.tasks import Classification, Multilabel, Reconstruction, Regression
from ipcae.training import Problem


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
