"""Lists of features in one fold: chosen by methods, then evaluated with decoders."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.arrays import Integers
from ipcae.evaluation.folds import take_rows
from ipcae.evaluation.sample import read_sample
from ipcae.selectors.given_features import GivenFeatures

List = tuple[int, ...]
Metrics = dict[str, float]

GIVEN = "given"
"""The name of the given list; without feature 7, it is named "-7"."""


@dataclass(eq=False)
class ListFold:
    """The training rows of a fold, and the metrics of lists on the rows left out."""

    estimator: Any
    X: Any
    y: Any
    groups: NDArray[Any] | None
    test: tuple[Any, Any]
    metrics: dict[str, Metrics]
    chosen: dict[str, List]
    metric: str = ""
    baseline: float = float("nan")

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        train: Integers,
        test: Integers,
        groups: NDArray[Any] | None = None,
    ) -> ListFold:
        """Split the rows of a table; the estimator is not changed."""

        def part(rows: Integers) -> tuple[Any, Any]:
            return take_rows(X, rows), take_rows(y, rows)

        quiet = {"callbacks": None, "checkpoint": None, "resume": False, "verbose": 0}
        members = None if groups is None else groups[train]
        return cls(clone(estimator).set_params(**quiet), *part(train), members, part(test), {}, {})

    def choose(self, name: str, method: str | None, size: int) -> None:
        """Select features with a method on the training rows; None is the estimator's own."""
        selector = clone(self.estimator).set_params(n_features_to_select=size)
        if method is not None:
            # The decoder is trained later, with those of the other lists.
            selector.set_params(method=method, n_runs=1, max_epochs=1, fine_tune=False)
        self._fit(selector)
        self.chosen[name] = tuple(selector.get_support(indices=True).tolist())

    def score(self, lists: dict[str, List]) -> None:
        """Train a decoder on every list, all as the runs of one batch, and evaluate them."""
        size = len(next(iter(lists.values())))
        method = GivenFeatures(tuple(lists.values()))
        selector = clone(self.estimator).set_params(
            n_features_to_select=size, method=method, n_runs=len(lists)
        )
        self._fit(selector)
        sample = read_sample(selector, *self.test)
        task = selector.task_
        self.metric = task.score
        constant = task.baseline(read_sample(selector, self.X, self.y).rows.targets)
        metrics = task.metrics(constant.expand(len(sample), -1), sample.rows.targets)
        self.baseline = metrics[task.score]
        for run, name in enumerate(lists):
            if np.isfinite(selector.validation_loss_[run]):
                outputs = selector.with_run(run).decoder_outputs(sample.rows.inputs).double()
                self.metrics[name] = task.metrics(outputs, sample.rows.targets)
            else:
                self.metrics[name] = dict.fromkeys(metrics, float("nan"))

    def _fit(self, selector: Any) -> None:
        with warnings.catch_warnings():  # of what is kept: an interrupted evaluation keeps nothing
            warnings.filterwarnings("ignore", message="Training was interrupted")
            selector.fit(self.X, self.y, groups=self.groups)
        if selector._interrupted:
            raise KeyboardInterrupt
