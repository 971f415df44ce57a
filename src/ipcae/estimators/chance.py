"""Test whether a selection is better than chance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.feature_counts import counts_for
from ipcae.estimators.many_fits.folds import validation_rows
from ipcae.estimators.many_fits.method_comparison import candidates_for
from ipcae.estimators.many_fits.variants import FittedVariant, Variant, fit_variants
from ipcae.estimators.one_fit.arguments import is_auto
from ipcae.estimators.one_fit.problem import Seeds
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.streaming import refuse_source
from ipcae.estimators.one_fit.table import read_table
from ipcae.estimators.selector_cv import SelectorCV
from ipcae.evaluation import Association, ChanceTest, association_of, read_sample
from ipcae.evaluation.chance import LEVEL, N_FOLDS, N_PERMUTATIONS, compare_with_chance
from ipcae.evaluation.folds import Fold, folds_of, take_rows
from ipcae.tables import read_groups
from ipcae.tables.tensors import as_array

_FEWEST_GROUPS = 6


class Data(NamedTuple):
    """Features, targets and groups of some rows, as for ``fit``."""

    X: Any
    y: Any = None
    groups: NDArray[Any] | None = None

    def take(self, rows: NDArray[np.int64]) -> Data:
        """Return the rows with these indices."""
        return Data(*(take_rows(values, rows) for values in self))


def chance_test(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: int = N_FOLDS,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    random_state: int = 0,
) -> ChanceTest:
    """Test whether a selection is better than chance.

    The selector is fitted with a single run to all folds but one, in turn, and predicts the
    held-out fold; all folds are trained as one batch. The association of these predictions with the
    target is compared with that of permuted targets. Features are selected again in every fold, so
    that a chance selection gives no advantage.

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
    cv : int, default=5
        Number of folds.
    n_permutations : int, default=2000
        Number of permutations; they cost little.
    level : float, default=0.05
        Probability of calling pure noise better than chance.
    random_state : int, default=0
        Seed of the folds and the permutations.

    Returns
    -------
    ChanceTest
        With ``p_value``, ``better`` and a ``sentence``.

    See Also
    --------
    select_with_fdr : Select features at a false discovery rate.
    SelectorCV : Choose the number of features by cross-validation.
    ipcae.plots.NullDisplay : The statistic of a chance test under permutation.

    Notes
    -----
    In each fold, the association is a sum over the rows whose distribution under permutation is
    known, see :meth:`ipcae.tasks.Task.association`. The standardized sums are added. Since each
    fold is also used to train the models of the others, they are not independent: the null
    distribution is widened by √2. ``benchmarks/chance.py`` measures how often noise is called
    better than chance.

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
    alone = _single_run(estimator if search is None else search.estimator)
    _check(level, n_permutations)
    groups = read_groups(groups, X)
    _require_several(groups)
    folds = folds_of(X, y, alone._task, cv, random_state, groups)
    compared = candidates_for(alone._task) if is_auto(alone.method) else [alone.method]
    attempts: list[Association] = []
    for method in compared:
        selector = clone(alone).set_params(method=method)
        for fitted in _fit_folds(selector, search, X, y, folds, groups):
            samples = [
                read_sample(each, *Data(X, y, groups).take(test))
                for each, (_, test) in zip(fitted, folds, strict=True)
            ]
            attempts.append(
                association_of(fitted, samples, n_permutations=n_permutations, seed=random_state)
            )
        result = compare_with_chance(attempts[-1:], level)
        if len(compared) > 1 and len(compared) * result.p_value <= level:
            # Bonferroni's correction for the methods that are not tried any more.
            return replace(result, p_value=len(compared) * result.p_value)
    return compare_with_chance(attempts, level)


def chance_of_folds(
    search: SelectorCV,
    rows: Data,
    held_out: tuple[Any, Data],
    *,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    random_state: int = 0,
) -> ChanceTest | None:
    """Compare the folds of a fitted search with chance, without training any others.

    As in :func:`chance_test` of a search, the largest association of any number of features is
    compared with the largest for permuted targets. With ``n_features_to_select="auto"``, which
    numbers are tried depends on the targets. Numbers between the planned ones are left out, and
    planned ones that were skipped count as attempts of their own, with independent permutations:
    their largest association is at least as large as it would have been.

    The score is that of the chosen number, and all numbers count as compared, also those between.

    ``rows`` are those that the search was fitted to, and ``held_out`` is the final selector, with
    rows that it has not seen. Return None if the folds do not allow a comparison: several methods
    were compared, a fold was interrupted or diverged, or a fold is without a class or has too few
    groups.
    """
    if is_auto(search.estimator.method):
        return None
    every, planned, n_skipped = search._searched
    fits = [run for runs in every.best for run in runs]
    if not all(run is not None and not run.interrupted for run in fits):
        return None
    tests = [rows.take(test) for _, test in every.folds]
    selector, unseen = held_out
    if not _are_comparable([*tests, unseen], selector.task_.discrete):
        return None
    new = selector, read_sample(selector, *unseen)

    def association(runs: list[FittedVariant | None], seed: int) -> Association:
        fitted = [run.selector for run in runs if run is not None]
        samples = [read_sample(each, *test) for each, test in zip(fitted, tests, strict=True)]
        return association_of(
            fitted, samples, n_permutations=n_permutations, seed=seed, held_out=new
        )

    attempts = [association(runs, random_state) for runs in planned.best]
    skipped = [
        replace(association(planned.best[-1], random_state + number), statistic=-math.inf)
        for number in range(1, n_skipped + 1)
    ]
    chosen = association(every.best[every.counts.index(search.n_features_)], random_state)
    return replace(
        compare_with_chance([*attempts, *skipped], level),
        score=chosen.score,
        baseline=chosen.baseline,
        n_compared=len(every.counts),
    )


def _are_comparable(parts: list[Data], discrete: bool) -> bool:
    """Return whether all parts of a table have several groups, if any, and all classes."""
    groups = [part.groups for part in parts if part.groups is not None]
    if groups:
        n_groups = [len(np.unique(own)) for own in groups]
        if min(n_groups) < 2 or sum(n_groups) < _FEWEST_GROUPS:
            return False
    if not discrete or np.ndim(parts[0].y) != 1:
        return True
    classes = [set(np.unique(np.asarray(as_array(part.y))).tolist()) for part in parts]
    return all(each == set().union(*classes) for each in classes)


def _single_run(estimator: Any) -> NeuralSelector:
    if not isinstance(estimator, NeuralSelector):
        raise InputError(
            f"estimator is a {type(estimator).__name__}: expected a selector of ipcae, such as "
            "ClassificationSelector(), or a SelectorCV."
        )
    return clone(estimator).set_params(n_runs=1, callbacks=None, checkpoint=None, resume=False)


def _check(level: float, n_permutations: int) -> None:
    if not 0 < level < 1:
        raise InputError(f"level={level!r} is not a probability: expected a number such as 0.05.")
    if n_permutations < 1 / level:
        raise InputError(
            f"n_permutations={n_permutations} is too few for level={level:g}: expected at least "
            f"{int(np.ceil(1 / level))}."
        )


def _require_several(groups: NDArray[Any] | None) -> None:
    """Raise an error if there are too few groups for any result to be better than chance."""
    n_groups = _FEWEST_GROUPS if groups is None else len(np.unique(groups))
    if n_groups < _FEWEST_GROUPS:
        raise InputError(
            f"There are {n_groups} groups of rows, too few to tell a result from chance: expected "
            f"at least {_FEWEST_GROUPS}."
        )


def _fit_folds(
    alone: NeuralSelector,
    search: SelectorCV | None,
    X: Any,
    y: Any,
    folds: list[Fold],
    groups: NDArray[Any] | None,
) -> list[list[NeuralSelector]]:
    """Fit to the training rows of every fold, for every number of features, as one batch."""
    settings = Settings.of(alone)
    table = read_table(alone, X, y, None)
    counts = [table.n_selected]
    if search is not None:
        counts = counts_for(search.n_features_to_select, table.constraints)
    seeds = Seeds.draw(alone.random_state, 1)
    strata = table.task.strata(table.rows.targets)
    learned = validation_rows(folds, settings.validation_fraction, strata, groups, seeds.split)
    variants = [
        Variant(train, validate, count, seeds.runs[0])
        for count in counts
        for train, validate in learned
    ]
    fitted = fit_variants(alone, table, variants, seeds.order)
    usable = [each for each in fitted if each is not None]
    if len(usable) < len(fitted) or any(each.interrupted for each in usable):
        raise KeyboardInterrupt
    selectors = [each.selector for each in usable]
    n_folds = len(folds)
    return [selectors[first : first + n_folds] for first in range(0, len(selectors), n_folds)]
