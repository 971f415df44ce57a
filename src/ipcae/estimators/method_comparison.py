"""``method="auto"``: compare several methods on the user's rows with the same folds."""

from __future__ import annotations

import copy
import logging
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.cross_validation import CrossValidation, standard_errors
from ipcae.estimators.scoring import Scorer, main_scoring
from ipcae.selectors import METHODS
from ipcae.tasks import Task
from ipcae.text import duration
from ipcae.training import Phase

logger = logging.getLogger("ipcae")

CANDIDATES = (
    *(
        "anova",
        "cox-elimination",
        "cox-score",
        "elimination",
        "lasso",
        "l1-logistic",
        "pivoted-qr",
        "pfa",
    ),
    *("random-forest", "group-lasso", "ip-cae", "lassonet", "stg"),
)
"""Methods that differ from each other and are strong on some tables, cheap ones first."""

Comparison = dict[str, NDArray[Any]]
N_FOLDS = 5


def compare_methods(
    selector: NeuralSelector, X: Any, y: Any, sample_weight: Any, groups: Any = None
) -> tuple[str, Comparison]:
    """Cross-validate the methods for K features; return the best and the scores of all.

    Every method is trained with one seed per fold. As soon as a method is within one standard error
    of the largest possible score, 1, the more expensive ones are skipped. After Ctrl-C, the best
    method so far is returned.
    """
    names = candidates_for(selector._task)
    n_folds = _n_folds(y, X, selector._task.discrete)
    if groups is not None:
        n_groups = len(np.unique(np.asarray(groups)))
        n_folds, groups = min(n_folds, max(n_groups, 2)), groups if n_groups > 1 else None
    scoring = main_scoring(selector, y, n_folds, groups)
    means: list[float] = []
    errors: list[float] = []
    seconds: list[float] = []
    for name in names:
        start = time.perf_counter()
        results, interrupted = _cross_validated(
            selector, name, X, y, n_folds, scoring, sample_weight=sample_weight, groups=groups
        )
        mean, error = float(results["mean_test_score"][0]), float(standard_errors(results)[0])
        if not (interrupted and means):
            means.append(mean)
            errors.append(error)
            seconds.append(time.perf_counter() - start)
            say(selector, f"{name}: {mean:.3f} ± {error:.3f} in {duration(seconds[-1])}")
        if interrupted or mean + error >= 1:
            break
    scores = np.nan_to_num(means, nan=-np.inf)
    best = int(scores.argmax())
    n_tried = len(means)
    skipped = [np.nan] * (len(names) - n_tried)
    comparison: Comparison = {
        "method": np.array(names),
        "mean_test_score": np.array([*means, *skipped]),
        "standard_error": np.array([*errors, *skipped]),
        "seconds": np.array([*seconds, *skipped]),
        "compared": np.arange(len(names)) < n_tried,
        "chosen": np.arange(len(names)) == best,
    }
    if scoring is not None:
        comparison["score"] = np.full(len(names), scoring)
    rest = f"; {', '.join(names[n_tried:])} were skipped" if skipped else ""
    tried = f"{n_tried} methods, compared in {duration(sum(seconds))}"
    say(selector, f"{names[best]} is the best of {tried}{rest}")
    return names[best], comparison


def candidates_for(task: type[Task]) -> list[str]:
    """Return the methods to compare for a task.

    A ranking that ignores the target is compared only if there is none.
    """
    found = []
    for name in CANDIDATES:
        method = METHODS[name]
        ignores_target = Phase.RANKING in method.phases and method.needs is None
        if method.supports(task) and not (task.supervised and ignores_target):
            found.append(name)
    return found


def _n_folds(y: Any, X: Any, discrete: bool) -> int:
    """Return five folds, or as many as the rarest class has rows, at least two."""
    if not discrete or np.ndim(y) != 1:
        return min(N_FOLDS, len(X) if hasattr(X, "__len__") else X.shape[0])
    return max(2, min(N_FOLDS, int(np.unique(np.asarray(y), return_counts=True)[1].min())))


def _cross_validated(
    selector: NeuralSelector,
    name: str,
    X: Any,
    y: Any,
    n_folds: int,
    scoring: str | None,
    **per_row: Any,
) -> tuple[dict[str, Any], bool]:
    bare = copy.copy(selector)
    bare.callbacks = None
    rate = selector.learning_rate
    one = clone(bare).set_params(
        method=name,
        n_runs=1,
        checkpoint=None,
        resume=False,
        learning_rate=rate if np.ndim(rate) == 0 else rate[0],
    )
    n_selected: Any = selector.n_features_to_select
    plan = CrossValidation.plan(
        one,
        X,
        y,
        counts=[0.5 if n_selected is None else n_selected],
        cv=n_folds,
        scorer=Scorer.of(one, scoring),
        **per_row,
    )
    best, _ = plan.fit()
    done = [run for run in best[0] if run is not None]
    if not done:
        raise InputError(f"Training diverged in every fold with {name}: scale the data.")
    return plan.results(best, {}), any(run.interrupted for run in done)


def say(selector: NeuralSelector, sentence: str) -> None:
    """Log what was compared, and print it if the selector is verbose."""
    logger.info("method='auto': %s", sentence)
    if selector.verbose:
        print(f"method auto: {sentence}", file=sys.stderr, flush=True)
