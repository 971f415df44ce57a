"""The objective: the loss, the weight between two objectives, and penalties on genes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.cli.inputs.streamed_table import SourceFrame
from ipcae.cli.options.selection_options import FitOptions
from ipcae.errors import InputError
from ipcae.estimators import SELECTORS
from ipcae.estimators.base import NeuralSelector
from ipcae.regularizers import FeatureCosts
from ipcae.sc import expression_costs
from ipcae.sc.penalties import penalize
from ipcae.tasks import CountReconstruction, HurdleReconstruction, Panel, Task


def loss_names(selector: type[NeuralSelector]) -> list[str]:
    """Return the names of the losses of a selector, the default first.

    >>> loss_names(SELECTORS["reconstruction"])[:2]
    ['squared_error', 'huber']
    """
    tasks = (selector._task, *selector._other_tasks)
    return [name for task in tasks for name in task.losses]


def expects_counts(loss: str | None) -> bool:
    """Return whether a loss is one of counts.

    >>> expects_counts("poisson"), expects_counts("hurdle"), expects_counts("huber")
    (True, True, False)
    """
    return any(loss in task.losses for task in (CountReconstruction, HurdleReconstruction))


def objective_arguments(options: FitOptions, task: type[Task]) -> dict[str, Any]:
    """Return the arguments of the selector for ``--loss`` and ``--reconstruction-weight``."""
    arguments: dict[str, Any] = {}
    if options.loss is not None:
        names = loss_names(SELECTORS[task.name])
        if options.loss not in names:
            raise InputError(
                f"--loss {options.loss} is not a loss of the task {task.name}: expected one of "
                f"{', '.join(names)}."
            )
        arguments["loss"] = options.loss
    if options.reconstruction_weight is not None:
        if not issubclass(task, Panel):
            raise InputError(
                "--reconstruction-weight is a weight between two objectives, but the task is "
                f"{task.name}: use it with --task panel."
            )
        arguments["reconstruction_weight"] = options.reconstruction_weight
    return arguments


def check_limits(options: FitOptions, place: str) -> None:
    """Raise an error if ``--expression-limits`` cannot be used."""
    if options.expression_limits is None:
        return
    if not place.endswith(".h5ad"):
        raise InputError(
            f"--expression-limits is for .h5ad files, but the table is {place}: leave it out."
        )
    if options.method == "auto":
        raise InputError(
            "--method auto compares methods by their names, without --expression-limits: name one, "
            "such as ip-cae, or exclude genes with --exclude."
        )


def apply_limits(
    selector: Any, limits: tuple[float | None, float | None], X: Any, train: NDArray[np.int64]
) -> None:
    """Penalize genes outside the limits, by their expression in the training cells.

    Of a table that is read in parts, a random sample of the cells is measured.
    """
    if isinstance(X, SourceFrame):
        values = X.in_memory(X.sample(train, seed=0)).to_numpy()
    else:
        values = X.iloc[train].to_numpy()
    costs = expression_costs(values, limits)
    penalize(selector, FeatureCosts(tuple(costs.tolist())), len(train))
