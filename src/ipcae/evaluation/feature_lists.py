"""Evaluation of a given list of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from ipcae.arrays import Floats
from ipcae.errors import InputError
from ipcae.evaluation.column_names import column_names, find_features
from ipcae.evaluation.estimator_checks import require_selector
from ipcae.evaluation.folds import Data, folds_of
from ipcae.evaluation.list_fold import GIVEN, List, ListFold
from ipcae.evaluation.list_scores import ListEvaluation, ListScore
from ipcae.evaluation.without_feature import without_each
from ipcae.selectors import METHODS
from ipcae.tables import read_groups
from ipcae.tables.frames import warn_of_other_order
from ipcae.text import listed
from ipcae.torch_settings import with_default_torch_settings

N_FOLDS, N_RANDOM = 5, 10
RANKINGS = ("anova", "l1-logistic", "lasso", "random-forest", "pfa", "pivoted-qr")
"""The rankings to compare with, if they support the task."""
MOST_DROPPED = 50
RANDOM = "random"


@with_default_torch_settings
def evaluate_features(
    estimator: Any,
    features: Sequence[Any],
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: int = N_FOLDS,
    n_random: int = N_RANDOM,
    rankings: Sequence[str] | None = None,
    selected: bool = False,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ListEvaluation:
    """Evaluate a list of features in the same way as other lists of the same size.

    Decoders are trained on the given list, on random lists and on the best features of classical
    rankings in the same way: from the same seed and on the same folds. Rankings see only the
    training rows of a fold. Decoders are also trained without each feature of the list, to find out
    how much the score drops.

    Parameters
    ----------
    estimator : ClassificationSelector, RegressionSelector or ReconstructionSelector
        Its decoder, loss, scaling and training settings are used; if ``batch_size`` is "auto", the
        batches of small tables are larger than in ``fit``. It is not changed.
    features : list of str or int, or array of bool
        Names or indices of columns of X, or a mask such as ``get_support()`` of a selector.
    X, y :
        As for ``fit``.
    groups : array of shape (n_rows,), optional
        The group of every row, such as a patient: a group is in one fold only.
    cv : int, default=5
        Number of folds.
    n_random : int, default=10
        Number of random lists.
    rankings : list of str, optional
        Names of methods to compare with. By default, a few rankings that support the task.
    selected : bool, default=False
        Whether to compare the estimator's own method as well. It is trained in every fold.
    random_state : int, default=0
        Seed of the folds and of the random lists.
    progress : callable, optional
        Called with the numbers of finished and of all steps.

    Returns
    -------
    ListEvaluation
        With ``scores``, ``without`` and a ``sentence``.

    See Also
    --------
    chance_test : Test whether a selection is better than chance.
    SelectorCV : Choose the number of features by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector, evaluate_features
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(max_epochs=15, random_state=0)
    >>> mine = ["petal length (cm)", "sepal width (cm)"]
    >>> result = evaluate_features(selector, mine, X, y, cv=3, n_random=4)
    >>> [score.name for score in result.scores]
    ['given', 'anova', 'l1-logistic', 'random-forest', 'pfa', 'pivoted-qr', 'random']
    >>> result.without[0].name
    'petal length (cm)'
    """
    require_selector(estimator)
    task, names = estimator._task, column_names(X)
    given = find_features(features, names)
    lists = _Lists(
        given,
        methods=_methods(estimator, rankings, selected=selected),
        random=_random_lists(len(names), len(given), n_random, random_state),
    )
    warn_of_other_order(X, y)
    data = Data(X, y, read_groups(groups, X))
    folds = folds_of(data, task, cv, random_state)
    step, n_steps = count(1), len(folds) * lists.n_steps

    def finish_step() -> None:
        if progress is not None:
            progress(next(step), n_steps)

    results: list[ListFold] = []
    for rows in folds:
        fold = ListFold.of(estimator, data, rows)
        lists.compare(fold, finish_step)
        results.append(fold)
    return ListEvaluation(
        features=[names[i] for i in given],
        scores=lists.scores(results),
        without=without_each(results, given, lists.dropped, names, X),
        metric=results[0].metric,
        n_rows=sum(len(test) for _, test in folds),
        n_folds=len(folds),
        baseline=float(np.nanmean([fold.baseline for fold in results])),
    )


@dataclass(frozen=True)
class _Lists:
    """The lists to compare: the given one, those of methods by name, and random ones by name.

    A method is None if it is the estimator's own.
    """

    given: List
    methods: dict[str, str | None]
    random: dict[str, List]

    @property
    def dropped(self) -> List:
        """The features that are left out one by one."""
        return self.given[:MOST_DROPPED] if len(self.given) > 1 else ()

    @property
    def n_steps(self) -> int:
        """The number of steps in a fold."""
        return len(self.methods) + 1 + bool(self.dropped)

    def compare(self, fold: ListFold, finish_step: Callable[[], None]) -> None:
        """Choose the lists of the methods in a fold, and score all lists."""
        for name, method in self.methods.items():
            fold.choose(name, method, len(self.given))
            finish_step()
        fold.score({GIVEN: self.given, **fold.chosen, **self.random})
        finish_step()
        if self.dropped:
            fold.score({f"-{i}": tuple(f for f in self.given if f != i) for i in self.dropped})
            finish_step()

    def scores(self, folds: list[ListFold]) -> list[ListScore]:
        """Return the scores: the given list, the estimator's method, rankings and random lists."""
        names = sorted(self.methods, key=lambda name: self.methods[name] is not None)
        scores = [
            ListScore(
                name, len(self.given), {m: v[0] for m, v in _metrics_of(folds, [name]).items()}
            )
            for name in (GIVEN, *names)
        ]
        if len(self.random) > 1:
            scores.append(ListScore(RANDOM, len(self.given), _metrics_of(folds, [*self.random])))
        return scores


def _metrics_of(folds: list[ListFold], names: list[str]) -> dict[str, Floats]:
    """Return the metrics of some lists in all folds, by metric. Shape: -> (lists, folds)."""
    return {
        metric: np.array([[fold.metrics[name][metric] for fold in folds] for name in names])
        for metric in folds[0].metrics[GIVEN]
    }


def _methods(
    estimator: Any, rankings: Sequence[str] | None, *, selected: bool
) -> dict[str, str | None]:
    """Return the methods to compare with, by the names of their lists."""
    task = estimator._task
    names = [name for name in RANKINGS if METHODS[name].supports(task)]
    names = names if rankings is None else _checked(rankings, task)
    if not selected:
        return {name: name for name in names}
    others = {name: name for name in names if name != estimator.method}
    return {**others, _own_name(estimator): None}


def _random_lists(n_features: int, size: int, n_random: int, seed: int) -> dict[str, List]:
    """Return random lists of a size by name, none if it is that of all features."""
    random = np.random.default_rng(seed)
    return {
        f"{RANDOM} {i}": tuple(random.permutation(n_features)[:size].tolist())
        for i in range(n_random if size < n_features else 0)
    }


def _checked(rankings: Sequence[str], task: Any) -> list[str]:
    unknown = [name for name in rankings if name not in METHODS]
    unsuited = [name for name in rankings if name in METHODS and not METHODS[name].supports(task)]
    if unknown or unsuited:
        known = [name for name, method in METHODS.items() if method.supports(task)]
        raise InputError(
            f"rankings contains {listed(unknown + unsuited)}: expected methods for {task.name}, "
            f"such as {listed(known, 10)}."
        )
    return list(dict.fromkeys(rankings))


def _own_name(estimator: Any) -> str:
    method = estimator.method or "the default method"
    return f"selected by {method if isinstance(method, str) else type(method).__name__}"
