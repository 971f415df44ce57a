"""Test whether a selection is better than chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.errors import InputError, invalid_argument, warn
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.cross_fitting import cross_fit, repeated_folds
from ipcae.estimators.many_fits.method_comparison import candidates_for
from ipcae.estimators.one_fit.arguments import is_auto, seed_for
from ipcae.estimators.one_fit.streaming import refuse_source
from ipcae.estimators.selector_cv import SelectorCV
from ipcae.evaluation import Association, ChanceTest, association_of
from ipcae.evaluation.chance import LEVEL, N_FOLDS, N_PERMUTATIONS, N_REPEATS, compare_with_chance
from ipcae.evaluation.estimator_checks import require_selector
from ipcae.evaluation.folds import Data
from ipcae.tables import read_groups
from ipcae.tables.dependence import dependence_of
from ipcae.torch_settings import with_default_torch_settings

FEWEST_GROUPS = 6
"""With fewer groups, no result is better than chance."""


@with_default_torch_settings
def chance_test(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: int = N_FOLDS,
    n_repeats: int = N_REPEATS,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    random_state: Any = 0,
) -> ChanceTest:
    """Test whether a selection is better than chance.

    The selector is fitted with a single run to all folds but one, in turn, and predicts the
    held-out fold. This is repeated with other folds; all of them are trained as one batch. The
    association of the predictions with the target is compared with that of permuted targets.
    Features are selected again in every fold, so that a chance selection gives no advantage.

    With ``method="auto"``, all methods that it compares are tested, and the largest association is
    compared with the largest for permuted targets; so are all numbers of features of a
    :class:`SelectorCV`.

    For reconstruction, the target is the block of the unselected columns: the test is whether the
    selected columns carry information about the others.

    Parameters
    ----------
    estimator : selector or SelectorCV
        A selector, such as :class:`ClassificationSelector`, or the cross-validation of its number
        of features. It is not changed.
    X, y :
        As for ``fit``. The rows must be independent of each other, or belong to groups.
    groups : array-like of shape (n_samples,), optional
        Group of every row, such as a patient with several samples. The rows of a group are held out
        together, and groups instead of rows are assumed to be independent.
    cv : int, default=3
        Number of folds.
    n_repeats : int, default=3
        How often the rows are divided into folds. More repetitions make the test more powerful.
    n_permutations : int, default=2000
        Number of permutations; they cost little.
    level : float, default=0.05
        Probability of calling pure noise better than chance.
    random_state : int, RandomState or None, default=0
        Seed of the folds and the permutations.

    Returns
    -------
    ChanceTest
        With ``p_value``, ``better`` and a ``sentence``.

    Warns
    -----
    TrainingWarning
        If rows seem to depend on each other, although there are no groups: neighboring rows are
        similar, as in a time series, rows are repeated, or a column identifies rows that belong
        together. The result then has ``dependent=True``, and its ``sentence`` says so.

    See Also
    --------
    select_with_fdr : Select features at a false discovery rate.
    SelectorCV : Choose the number of features by cross-validation.
    ipcae.plots.NullDisplay : The statistic of a chance test under permutation.

    Notes
    -----
    The scores of a row's predictions, such as their ranks within the fold, are added over the
    repetitions. The association is their product with the score of the target, summed over the
    rows; its distribution under permutation is known, see
    :meth:`ipcae.tasks.Task.association`. Since each fold is also used to train the models of the
    others, the null distribution is widened by √2. ``benchmarks/chance.py`` measures how often
    noise is called better than chance.

    With groups, targets cannot be permuted. Instead, the contribution of every group to the sum
    gets a random sign.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import RegressionSelector, chance_test
    >>> X = np.random.default_rng(0).normal(size=(60, 20))
    >>> selector = RegressionSelector(2, method="lasso", max_epochs=10, random_state=0)
    >>> chance_test(selector, X, X[:, 3] + X[:, 7]).better
    True
    >>> chance_test(selector, X, np.random.default_rng(1).normal(size=60)).better
    False
    """
    refuse_source(X, "A comparison with chance")
    search = estimator if isinstance(estimator, SelectorCV) else None
    selector = _single_run(estimator if search is None else search.estimator)
    _check(level, n_permutations, n_repeats)
    groups = read_groups(groups, X)
    _require_several(groups)
    dependent = groups is None and _seem_dependent(selector, X, y)
    counts = None if search is None else search.n_features_to_select
    data, seed = Data(X, y, groups), seed_for(random_state)
    folds = repeated_folds(data, selector._task, cv, n_repeats, seed)

    def attempts_of(method: Any) -> list[Association]:
        own = clone(selector).set_params(method=method)
        return [
            association_of(*left_out, n_permutations=n_permutations, seed=seed)
            for left_out in cross_fit(own, data, folds, counts)
        ]

    auto = is_auto(selector.method)
    methods = candidates_for(selector._task) if auto else [selector.method]
    return replace(_compared(methods, attempts_of, level), dependent=dependent)


def _seem_dependent(selector: NeuralSelector, X: Any, y: Any) -> bool:
    """Return whether rows seem to depend on each other, and warn if they do."""
    found = dependence_of(X, y, ordered=not selector._task.censored)
    if found:
        warn(
            f"rows seem to depend on each other ({'; '.join(found.signs.values())}): the p-value "
            "is then too small. Pass groups, such as the patient or the period of every row."
        )
    return bool(found)


def _compared(
    methods: list[Any], attempts_of: Callable[[Any], list[Association]], level: float
) -> ChanceTest:
    """Compare one method after the other with chance, until one is better."""
    attempts = list[Association]()
    for method in methods:
        attempts += attempts_of(method)
        result = compare_with_chance(attempts[-1:], level)
        if len(methods) > 1 and len(methods) * result.p_value <= level:
            # Bonferroni's correction for the methods that are not tried any more.
            return replace(result, p_value=len(methods) * result.p_value)
    return compare_with_chance(attempts, level)


def _single_run(estimator: Any) -> NeuralSelector:
    """Return an unfitted copy of a selector with a single run, or raise an error."""
    require_selector(estimator, ", or a SelectorCV")
    return cast(NeuralSelector, estimator._single_run())


def _check(level: float, n_permutations: int, n_repeats: int) -> None:
    if n_repeats < 1:
        raise invalid_argument("n_repeats", n_repeats, "at least 1")
    if not 0 < level < 1:
        raise InputError(f"level={level!r} is not a probability: expected a number such as 0.05.")
    if n_permutations < 1 / level:
        raise InputError(
            f"n_permutations={n_permutations} is too few for level={level:g}: expected at least "
            f"{int(np.ceil(1 / level))}."
        )


def _require_several(groups: NDArray[Any] | None) -> None:
    """Raise an error if there are too few groups for any result to be better than chance."""
    n_groups = FEWEST_GROUPS if groups is None else len(np.unique(groups))
    if n_groups < FEWEST_GROUPS:
        are = "is 1 group" if n_groups == 1 else f"are {n_groups} groups"
        raise InputError(
            f"There {are} of rows, too few to tell a result from chance: expected "
            f"at least {FEWEST_GROUPS}."
        )
