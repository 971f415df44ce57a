"""scikit-learn's own callbacks, ``selector.set_callbacks(...)``, where its version has them (1.9).

A fit is a task whose subtasks are its phases, and the epochs are subtasks of those. A callback that
returns True from an epoch ends the phase.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ipcae.errors import warn
from ipcae.estimators.settings import Settings
from ipcae.models import FixedSelection, Params
from ipcae.selection import Selection, agreement
from ipcae.selectors import JointModel
from ipcae.training import EpochReport
from ipcae.training.choice import stacked_features

_Method = TypeVar("_Method", bound=Callable[..., Any])

if TYPE_CHECKING:

    class CallbackSupport:
        """What scikit-learn adds to an estimator."""

        def _init_callback_context(self, **settings: Any) -> Any: ...

    def with_callbacks(method: _Method) -> _Method:
        """Tear the callbacks down after the method, whatever happens in it."""
        ...

else:
    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
        from sklearn.callback import with_callbacks
    except ImportError:  # an older scikit-learn: there is no set_callbacks, and nothing to do

        class CallbackSupport:
            """Nothing."""

        def with_callbacks(method):
            """Return the method unchanged."""
            return method


class EpochForwarder:
    """A callback of ours that tells those of scikit-learn."""

    def __init__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any, begin: Callable[[], Any]
    ):
        weights = None if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator = estimator
        # Rows without a target are their own.
        self.data = {"X": X, "y": X if y is None else y, "metadata": weights}
        self.fit = self._begun(begin())
        self.phase: Any = None
        self.epoch: Any = None

    def __call__(self, report: EpochReport) -> bool:
        """End the epoch's task, and begin the next one."""
        if self.phase is None:
            self.phase = self._subtask(self.fit, report.phase, report.max_epochs)
        if self.epoch is None:
            self.epoch = self._subtask(self.phase, "epoch")
        now = {"reconstruction_attributes": lambda: attributes_now(report, self.estimator)}
        stop = bool(self._ended(self.epoch, now))
        if stop or report.last:
            self._ended(self.phase, now)
            self.phase = self.epoch = None
        else:
            self.epoch = self._subtask(self.phase, "epoch")
        return stop

    def finish(self) -> None:
        """End the task of the whole fit: the estimator answers for itself."""
        self._ended(self.fit, {"reconstruction_attributes": {}})

    def _subtask(self, task: Any, name: str, max_subtasks: int = 0) -> Any:
        return self._begun(task.subcontext(task_name=name, max_subtasks=max_subtasks))

    def _begun(self, task: Any) -> Any:
        return task.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def _ended(self, task: Any, more: dict[str, Any]) -> Any:
        return task.call_on_fit_task_end(estimator=self.estimator, **self.data, **more)


def forwarder_for(
    estimator: Any, X: Any, y: Any, sample_weight: Any, settings: Settings
) -> EpochForwarder | None:
    """Return a callback that forwards epochs, if scikit-learn's callbacks are set."""
    if not _has_callbacks(estimator):
        return None
    n_phases = len(settings.method.phases) + bool(settings.fine_tune_epochs)
    begin = _context_of_fit(estimator, n_phases)
    if begin is None:
        warn(
            "The callbacks given to set_callbacks are not called: this version of scikit-learn "
            "offers them in a way that ipcae does not know. The argument callbacks= still works."
        )
        return None
    return EpochForwarder(estimator, X, y, sample_weight, begin)


def _has_callbacks(estimator: Any) -> bool:
    """Whether ``set_callbacks`` left any; its attribute is private and may get another name."""
    if hasattr(estimator, "_skl_callbacks"):
        return bool(estimator._skl_callbacks)
    names = [name for name in vars(estimator) if name.endswith("callbacks") and name != "callbacks"]
    return any(vars(estimator)[name] for name in names)


def _context_of_fit(estimator: Any, n_phases: int) -> Callable[[], Any] | None:
    """Return what begins scikit-learn's context of a fit, None where the private hook differs."""
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None or not hasattr(estimator, "_skl_callbacks"):
        return None
    try:
        inspect.signature(begin).bind(max_subtasks=n_phases)
    except TypeError:
        return None
    return lambda: begin(max_subtasks=n_phases)


def attributes_now(report: EpochReport, estimator: Any) -> dict[str, Any] | None:
    """Return what a selector needs to answer as if training had ended with this epoch."""
    answer = _answer_now(report, estimator)
    if answer is None:
        return None
    model, params, selections = answer
    loss = np.array(report.per_run["validation_loss"])
    return {
        "model_": model,
        "params_": {name: t.detach().cpu().clone() for name, t in params.items()},
        "selections_": selections,
        "validation_loss_": loss,
        "best_run_": int(np.argmin(np.nan_to_num(loss, nan=np.inf))),
        "agreement_": agreement(selections),
        # Not measured before the end.
        "importance_": np.zeros((len(selections), model.n_selected)),
    }


def _answer_now(
    report: EpochReport, estimator: Any
) -> tuple[FixedSelection, Params, list[Selection]] | None:
    """Return the model, its tensors and the selections after this epoch.

    None for a model that has no decoder of the selected features yet.
    """
    model, params = report.model, report.params
    if isinstance(model, FixedSelection):
        features = params["buffer:features"].cpu().numpy()
        return model, params, [Selection.of(each, estimator.n_features_in_) for each in features]
    if not hasattr(model, "selections"):
        return None
    joint = cast(JointModel, model)
    selections = joint.selections(params, estimator.unique)
    stacked = stacked_features(selections).to(next(iter(params.values())).device)
    return joint.final_model, joint.final_model.start_from(params, stacked), selections
