"""Lists of features in one fold: chosen by methods, then evaluated with decoders."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from ipcae.evaluation.folds import Data, Fold
from ipcae.evaluation.sample import Sample, read_sample
from ipcae.selectors import METHODS
from ipcae.selectors.given_features import GivenFeatures
from ipcae.tables.tensors import count_rows
from ipcae.training import Phase
from ipcae.training.plan import comparison_batch_size

List = tuple[int, ...]
Metrics = dict[str, float]

GIVEN = "given"
"""The name of the given list; without feature 7, it is named "-7"."""


@dataclass(eq=False)
class ListFold:
    """The training rows of a fold, and the metrics of lists on the rows left out."""

    estimator: Any
    train: Data
    test: Data
    metrics: dict[str, Metrics] = field(default_factory=dict)
    chosen: dict[str, List] = field(default_factory=dict)
    metric: str = ""
    baseline: float = float("nan")

    @classmethod
    def of(cls, estimator: Any, data: Data, rows: Fold) -> ListFold:
        """Split the rows of a table; the estimator is not changed."""
        quiet = {"callbacks": None, "checkpoint": None, "resume": False, "verbose": 0}
        train, test = (data.take(part) for part in rows)
        return cls(clone(estimator).set_params(**quiet), train, test)

    def choose(self, name: str, method: str | None, size: int) -> None:
        """Select features with a method on the training rows; None is the estimator's own."""
        selector = clone(self.estimator).set_params(n_features_to_select=size)
        if method is not None:
            selector.set_params(method=method)
        # The decoder is trained later, with those of the other lists.
        if _is_ranking(selector.method):
            selector.set_params(n_runs=1, max_epochs=1, fine_tune=False)
        elif selector.n_runs == 1:
            selector.set_params(fine_tune=False)
        self._fit(selector)
        self.chosen[name] = tuple(selector.get_support(indices=True).tolist())

    def score(self, lists: dict[str, List]) -> None:
        """Train a decoder on every list, all as the runs of one batch, and evaluate them.

        Lists of the same features share a decoder.
        """
        sets = {name: tuple(sorted(features)) for name, features in lists.items()}
        different = tuple(dict.fromkeys(sets.values()))
        selector = clone(self.estimator).set_params(
            n_features_to_select=len(different[0]),
            method=GivenFeatures(different, compared=True),
            n_runs=len(different),
        )
        if selector.batch_size == "auto":
            selector.set_params(batch_size=comparison_batch_size(count_rows(self.train.X)))
        self._fit(selector)
        sample = read_sample(selector, *self.test)
        task = selector.task_
        self.metric = task.score
        constant = task.baseline(read_sample(selector, *self.train).rows.targets)
        baseline = task.metrics(constant.expand(len(sample), -1), sample.rows.targets)
        self.baseline = baseline[task.score]
        found = [self._metrics_of(selector, run, sample, baseline) for run in range(len(different))]
        for name, features in sets.items():
            self.metrics[name] = found[different.index(features)]

    def _metrics_of(self, selector: Any, run: int, sample: Sample, baseline: Metrics) -> Metrics:
        """Return the metrics of a run, NaN for one that diverged."""
        if not np.isfinite(selector.validation_loss_[run]):
            return dict.fromkeys(baseline, float("nan"))
        outputs = selector.with_run(run).decoder_outputs(sample.rows.inputs).double()
        return selector.task_.metrics(outputs, sample.rows.targets)

    def _fit(self, selector: Any) -> None:
        with warnings.catch_warnings():  # of what is kept: an interrupted evaluation keeps nothing
            warnings.filterwarnings("ignore", message="Training was interrupted")
            selector.fit(self.train.X, self.train.y, groups=self.train.groups)
        if selector._interrupted:
            raise KeyboardInterrupt


def _is_ranking(method: Any) -> bool:
    """Return whether a method selects without epochs; the default one is not known yet."""
    phases = getattr(METHODS.get(method) if isinstance(method, str) else method, "phases", ())
    return Phase.RANKING in phases and Phase.SELECTING not in phases
