"""A test whether a selector finds anything in a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ipcae.errors import InputError
from ipcae.estimators import fitting
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.folds import validation_rows
from ipcae.estimators.settings import Settings
from ipcae.estimators.variants import Variant, fit_variants
from ipcae.evaluation import ChanceTest, read_sample
from ipcae.evaluation.chance import LEVEL, N_FOLDS, N_PERMUTATIONS, compare_with_chance
from ipcae.evaluation.folds import Fold, folds_of, take_rows


def chance_test(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    cv: int = N_FOLDS,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    random_state: int = 0,
) -> ChanceTest:
    """Test whether a selector finds anything in a table.

    The selector is fitted with a single run to all folds but one, in turn, and predicts the fold
    that is left out; all folds are trained as one batch (``method="auto"`` compares its methods
    anew in every fold, which takes longer). The association of these predictions with the target
    is compared with that of permuted targets. Features are selected anew in every
    fold, so that selecting by chance does not help.

    For reconstruction, the target is the block of the unselected columns: the test is whether
    the selected columns tell anything about the others.

    Parameters
    ----------
    estimator : ClassificationSelector, RegressionSelector or ReconstructionSelector
        A selector, which is not changed.
    X, y :
        As for ``fit``. The rows must be independent of each other.
    cv : int, default=5
        Number of folds.
    n_permutations : int, default=2000
        Number of permutations; they cost little.
    level : float, default=0.05
        Probability to call pure noise better than chance.
    random_state : int, default=0
        Seed of the folds and the permutations.

    Returns
    -------
    ChanceTest
        With ``p_value``, ``better`` and a ``sentence``.

    Notes
    -----
    In each fold, the association is a sum over the rows whose distribution under permutation is
    known, see :meth:`ipcae.tasks.Task.association`. The standardized sums are added. Since each
    fold is also used to train the models of the others, they are not independent: the null
    distribution is widened by √2. ``benchmarks/chance.py`` measures how often noise is called
    better than chance.

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
    if not isinstance(estimator, NeuralSelector):
        raise InputError(
            f"estimator is a {type(estimator).__name__}: expected a selector of ipcae, such as "
            "ClassificationSelector()."
        )
    if not 0 < level < 1:
        raise InputError(f"level={level!r} is not a probability: expected a number such as 0.05.")
    if n_permutations < 1 / level:
        raise InputError(
            f"n_permutations={n_permutations} is too few for level={level:g}: expected at least "
            f"{int(np.ceil(1 / level))}."
        )
    alone = clone(estimator).set_params(n_runs=1, callbacks=None, checkpoint=None, resume=False)
    folds = folds_of(X, y, alone._task, cv, random_state)
    fitted = _fit_folds(alone, X, y, folds)
    samples = [
        read_sample(selector, take_rows(X, test), None if y is None else take_rows(y, test))
        for selector, (_, test) in zip(fitted, folds, strict=True)
    ]
    return compare_with_chance(
        fitted, samples, n_permutations=n_permutations, level=level, seed=random_state
    )


def _fit_folds(alone: NeuralSelector, X: Any, y: Any, folds: list[Fold]) -> list[NeuralSelector]:
    """Fit a selector to the training rows of every fold, all as the runs of one batch."""
    if alone.method == "auto":  # the methods are compared anew in every fold
        return [
            clone(alone).fit(take_rows(X, train), None if y is None else take_rows(y, train))
            for train, _ in folds
        ]
    settings = Settings.of(alone)
    table = fitting.read_table(alone, X, y, None)
    seeds = fitting.Seeds.draw(alone.random_state, 1)
    strata = table.task.strata(table.rows.targets)
    learned = validation_rows(folds, settings.validation_fraction, strata, None, seeds.split)
    variants = [
        Variant(train, validate, table.n_selected, seeds.runs[0]) for train, validate in learned
    ]
    fitted = fit_variants(alone, table, variants, seeds.order)
    usable = [each for each in fitted if each is not None]
    if len(usable) < len(fitted) or any(each.interrupted for each in usable):
        raise KeyboardInterrupt
    return [each.selector for each in usable]
