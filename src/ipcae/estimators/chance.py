"""Test whether a selection is better than chance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.errors import InputError, invalid_argument, warn
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.cross_fitting import CrossFitting
from ipcae.estimators.many_fits.method_comparison import candidates_for
from ipcae.estimators.one_fit.arguments import is_auto, seed_for
from ipcae.estimators.one_fit.streaming import refuse_source
from ipcae.estimators.selector_cv import SelectorCV
from ipcae.evaluation import Association, ChanceTest, association_of, read_sample
from ipcae.evaluation.chance import LEVEL, N_FOLDS, N_PERMUTATIONS, N_REPEATS, compare_with_chance
from ipcae.evaluation.estimator_checks import require_selector
from ipcae.evaluation.folds import take_rows
from ipcae.tables import read_groups
from ipcae.tables.dependence import dependence_of
from ipcae.tables.tensors import as_array
from ipcae.torch_settings import with_default_torch_settings

_FEWEST_GROUPS = 6


class Data(NamedTuple):
    """Features, targets and groups of some rows, as for ``fit``."""

    X: Any
    y: Any = None
    groups: NDArray[Any] | None = None

    def take(self, rows: NDArray[np.int64]) -> Data:
        """Return the rows with these indices."""
        return Data(*(take_rows(values, rows) for values in self))


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
        alike, as in a time series, rows are repeated, or a column tells which belong together. The
        result has ``dependent=True``, and its sentence a condition.

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
    fitting = CrossFitting(selector, X, groups, cv, n_repeats, seed_for(random_state), counts)
    return replace(_compared(fitting, y, n_permutations, level), dependent=dependent)


def _seem_dependent(selector: NeuralSelector, X: Any, y: Any) -> bool:
    """Return whether rows seem to depend on each other, and warn if they do."""
    found = dependence_of(X, y, ordered=not selector._task.censored)
    if found:
        warn(
            f"rows seem to depend on each other ({'; '.join(found.signs.values())}): the p-value "
            "is then too small. Pass groups, such as the patient or the period of every row."
        )
    return bool(found)


def _compared(fitting: CrossFitting, y: Any, n_permutations: int, level: float) -> ChanceTest:
    """Compare a method with chance, or all that ``method="auto"`` compares."""
    selector, attempts = fitting.selector, list[Association]()
    auto = is_auto(selector.method)
    compared = candidates_for(selector._task) if auto else [selector.method]
    for method in compared:
        fitting = replace(fitting, selector=clone(selector).set_params(method=method))
        attempts += [
            association_of(*each, n_permutations=n_permutations, seed=fitting.seed)
            for each in fitting.fit(y)
        ]
        result = compare_with_chance(attempts[-1:], level)
        if len(compared) > 1 and len(compared) * result.p_value <= level:
            # Bonferroni's correction for the methods that are not tried any more.
            return replace(result, p_value=len(compared) * result.p_value)
    return compare_with_chance(attempts, level)


def chance_of_folds(
    search: SelectorCV, rows: Data, held_out: tuple[Any, Data], *, random_state: int = 0
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
    fits = [fit for folds in every.best for fit in folds]
    if not all(fit is not None and not fit._interrupted for fit in fits):
        return None
    tests = [rows.take(test) for _, test in every.folds]
    selector, unseen = held_out
    if not _are_comparable([*tests, unseen], selector.task_.discrete):
        return None
    new = selector, read_sample(selector, *unseen)

    def association(folds: list[NeuralSelector | None], seed: int) -> Association:
        fitted = [fit for fit in folds if fit is not None]
        samples = [read_sample(each, *test) for each, test in zip(fitted, tests, strict=True)]
        return association_of(
            fitted, samples, n_permutations=N_PERMUTATIONS, seed=seed, held_out=new
        )

    attempts = [association(folds, random_state) for folds in planned.best]
    skipped = [
        replace(association(planned.best[-1], random_state + number), statistic=-math.inf)
        for number in range(1, n_skipped + 1)
    ]
    chosen = association(every.best[every.counts.index(search.n_features_)], random_state)
    return replace(
        compare_with_chance([*attempts, *skipped]),
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
    n_groups = _FEWEST_GROUPS if groups is None else len(np.unique(groups))
    if n_groups < _FEWEST_GROUPS:
        are = "is 1 group" if n_groups == 1 else f"are {n_groups} groups"
        raise InputError(
            f"There {are} of rows, too few to tell a result from chance: expected "
            f"at least {_FEWEST_GROUPS}."
        )
