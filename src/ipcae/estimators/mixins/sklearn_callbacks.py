"""Support for scikit-learn 1.9 callbacks, ``selector.set_callbacks(...)``.

A fit is a task, its phases are subtasks, and the epochs are subtasks of the phases. A callback that
returns True after an epoch ends the phase.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import torch

from ipcae.constraints import Constraints, among
from ipcae.errors import warn
from ipcae.estimators.one_fit.encoding import collapsed_selections, encoded_constraints
from ipcae.estimators.one_fit.settings import Settings
from ipcae.models import FixedSelection, Params
from ipcae.selection import Selection
from ipcae.selectors import JointModel
from ipcae.selectors.candidates import params_of_all, selection_of_all
from ipcae.selectors.joint import final_params
from ipcae.training import EpochReport

_Method = TypeVar("_Method", bound=Callable[..., Any])

if TYPE_CHECKING:

    class CallbackSupport:
        """The interface of scikit-learn's mixin."""

        def _init_callback_context(self, **settings: Any) -> Any: ...

    def with_callbacks(method: _Method) -> _Method:
        """Tear down the callbacks after the method, even if it raises an error."""
        ...

else:
    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
        from sklearn.callback import with_callbacks
    except ImportError:  # scikit-learn before 1.9

        class CallbackSupport:
            """A placeholder for the mixin."""

        def with_callbacks(method):
            """Return the method unchanged."""
            return method


class EpochForwarder:
    """A callback that forwards epochs to scikit-learn callbacks."""

    def __init__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any, begin: Callable[[], Any]
    ):
        weights = None if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator = estimator
        # Without y, X is the target.
        self.data = {"X": X, "y": X if y is None else y, "metadata": weights}
        self.fit = self._begin_task(begin())
        self.phase: Any = None
        self.epoch: Any = None

    def __call__(self, report: EpochReport) -> bool:
        """End the task of the epoch and begin the next one."""
        if self.phase is None:
            self.phase = self._subtask(self.fit, report.phase, report.max_epochs)
        if self.epoch is None:
            self.epoch = self._subtask(self.phase, "epoch")
        extra = {"reconstruction_attributes": lambda: attributes_now(report, self.estimator)}
        stop = bool(self._end_task(self.epoch, extra))
        if stop or report.last:
            self._end_task(self.phase, extra)
            self.phase = self.epoch = None
        else:
            self.epoch = self._subtask(self.phase, "epoch")
        return stop

    def finish(self) -> None:
        """End the task of the fit; by now the estimator has its fitted attributes."""
        self._end_task(self.fit, {"reconstruction_attributes": {}})

    def _subtask(self, task: Any, name: str, max_subtasks: int = 0) -> Any:
        return self._begin_task(task.subcontext(task_name=name, max_subtasks=max_subtasks))

    def _begin_task(self, task: Any) -> Any:
        return task.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def _end_task(self, task: Any, extra: dict[str, Any]) -> Any:
        return task.call_on_fit_task_end(estimator=self.estimator, **self.data, **extra)


def forwarder_for(
    estimator: Any, X: Any, y: Any, sample_weight: Any, settings: Settings
) -> EpochForwarder | None:
    """Return a callback that forwards epochs, or None if no scikit-learn callbacks are set."""
    if not _has_callbacks(estimator):
        return None
    n_phases = len(settings.method.phases) + bool(settings.fine_tune_epochs)
    begin = _context_of_fit(estimator, n_phases)
    if begin is None:
        warn(
            "The callbacks passed to set_callbacks are not called: ipcae does not support the "
            "callback interface of this version of scikit-learn. Use the argument callbacks= "
            "instead."
        )
        return None
    return EpochForwarder(estimator, X, y, sample_weight, begin)


def _has_callbacks(estimator: Any) -> bool:
    """Return whether callbacks are set; the private attribute may be renamed."""
    if hasattr(estimator, "_skl_callbacks"):
        return bool(estimator._skl_callbacks)
    names = [name for name in vars(estimator) if name.endswith("callbacks") and name != "callbacks"]
    return any(vars(estimator)[name] for name in names)


def _context_of_fit(estimator: Any, n_phases: int) -> Callable[[], Any] | None:
    """Return a function that begins the context of a fit, or None if the private hook differs."""
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None or not hasattr(estimator, "_skl_callbacks"):
        return None
    try:
        inspect.signature(begin).bind(max_subtasks=n_phases)
    except TypeError:
        return None
    return lambda: begin(max_subtasks=n_phases)


def attributes_now(report: EpochReport, estimator: Any) -> dict[str, Any] | None:
    """Return the fitted attributes of the selector if training ended with this epoch.

    Return None if the model has no decoder for the selected features yet.
    """
    if not isinstance(report.model, FixedSelection) and (
        not hasattr(report.model, "selections")
        or getattr(report.model, "needs_new_decoders", False)
    ):
        return None
    every = encoded_constraints(estimator.constraints_, estimator.scaler_)
    columns = report.columns
    known = every if columns is None else among(every, columns)
    model, params, selections = _current_model(report, known, estimator.unique)
    if columns is not None:
        params = params_of_all(params, columns)
        selections = [selection_of_all(each, columns, every.n_features) for each in selections]
    loss = np.array(report.per_run["validation_loss"])
    return {
        "model_": model,
        "params_": {name: t.detach().cpu().clone() for name, t in params.items()},
        "selections_": collapsed_selections(selections, estimator.scaler_),
        "validation_loss_": loss,
        "best_run_": int(np.argmin(np.nan_to_num(loss, nan=np.inf))),
        # Computed only at the end of the fit.
        "importance_": np.zeros((len(selections), model.n_selected)),
    }


def _current_model(
    report: EpochReport, constraints: Constraints, unique: bool
) -> tuple[FixedSelection, Params, list[Selection]]:
    """Return the final model, its tensors and the selections after this epoch."""
    model, params = report.model, report.params
    if isinstance(model, FixedSelection):
        features, nodes = params["buffer:features"].cpu(), params.get("buffer:nodes")
        used = torch.ones_like(features, dtype=torch.bool) if nodes is None else nodes.cpu() > 0
        chosen = [each[own].numpy() for each, own in zip(features, used, strict=True)]
        return model, params, [Selection.of(each, constraints.n_features) for each in chosen]
    joint = cast(JointModel, model)
    selections = joint.selections(params, unique)
    return joint.final_model, final_params(joint, params, selections, constraints), selections
