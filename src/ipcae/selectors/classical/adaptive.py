"""A linear ranking that suits the table, or another one if it predicts better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.selectors.classical.additive_forward import AdditiveForward
from ipcae.selectors.classical.backward import Backward
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.boosted_elimination import BoostedElimination
from ipcae.selectors.classical.elimination import Elimination
from ipcae.selectors.classical.examples import classes_of
from ipcae.selectors.classical.forward import Forward
from ipcae.selectors.classical.group_forward import GroupForward
from ipcae.selectors.classical.group_lasso import GroupLasso
from ipcae.selectors.classical.logistic_backward import LogisticBackward
from ipcae.selectors.classical.models.boosting import FEWEST_ROWS as MANY_ROWS
from ipcae.selectors.classical.models.boosting import suits_trees
from ipcae.selectors.classical.nonredundant import Nonredundant
from ipcae.selectors.classical.preferred import on_preferred_scale, preferred, preferred_scores
from ipcae.selectors.classical.random_forest import RandomForest
from ipcae.selectors.classical.score_cache import cached_scores
from ipcae.selectors.classical.statistics.noise_share import noise_share
from ipcae.selectors.classical.statistics.products import (
    informative_products,
    of_columns,
    with_products,
)
from ipcae.selectors.classical.within_budget import with_additions
from ipcae.training import Problem

FEWEST_FOR_TREES, MOST_FOR_TREES = 40, 3000
"""Numbers of rows: with fewer, a forest hardly finds more; with more, it sees some of them."""

FEWEST_FOR_CURVES = 75
"""Number of rows: with fewer, curves are rarely found."""

MOST_TO_COMPARE = 300
"""Number of rows of classes: from this on, a shortlist compares rankings."""

FEWEST_TO_COMPARE = 20
"""Number of rows: with fewer, folds are too small to compare rankings."""

INDEPENDENT = 0.98
"""δ of independent columns: only forward selection finds more of them than elimination."""

GROUPED = 2
"""Columns per unit, on average, from which on groups are ranked as a whole."""


@dataclass(frozen=True)
class Adaptive(Ranking):
    """A linear ranking that suits the table, or another one if it predicts better.

    The first ranking depends on the table:

    - For more than two classes, :class:`LogisticBackward`.
    - For two classes and nearly independent columns, :class:`Elimination`. Columns are nearly
      independent if δ, the share of their correlations that is sampling noise
      (:func:`noise_share`), is larger than a threshold. Elimination is then close to a univariate
      test with moderated standard deviations.
    - Otherwise, :class:`GroupLasso`.

    With fewer than 300 rows for classification, or 5,000 for regression, choices are made by
    cross-validation: another one is used if it is better by one standard error. First, columns that
    are skewed or have heavy tails may be replaced by their normal scores
    (:func:`on_preferred_scale`). Then the ranking is compared with others (:func:`preferred`): the
    group lasso, backward eliminations (:class:`Elimination`, :class:`Backward`, and for more than
    two classes :class:`LogisticBackward`), for regression F-values without redundancy
    (:class:`Nonredundant`), for regression and two classes forward selection (:class:`Forward`),
    and for classification with correlated columns, more than there are rows, a random forest. For
    two classes and nearly independent columns, the first ranking is then :class:`Backward`, because
    the columns may contain groups of copies. If δ is almost 1, there are no such groups, and
    elimination is compared with forward selection only.

    If columns are in groups, such as the time steps of a channel, forward selection of groups
    (:class:`GroupForward`) is also compared: the other rankings score a group by its best column.

    Finally, rankings that are not linear are used if their K best columns predict held-out rows
    better by two standard errors (:func:`preferred_scores`):

    - If products of two columns, or squares, explain what the K best columns leave unexplained
      (:func:`informative_products`), they are ranked with the columns; the score of a column is
      that of its best term. This finds columns that matter only together.
    - With 40 rows or more, a random forest.
    - With 5,000 rows or more and up to 200 columns, backward elimination with boosted trees instead
      of the forest.
    - With 75 rows or more, forward selection by an additive model of curves
      (:class:`AdditiveForward`), if it is better by three standard errors
      (:func:`scores_or_curves`). It finds waves and intervals, also among many columns.

    Within a budget, units are also added one by one, and used if they predict better by one
    standard error (:func:`with_additions`).

    ``docs/experiments/rankings.md`` gives the measurements.

    Parameters
    ----------
    threshold : float, default=0.6
        Elimination is used if δ is larger than this.
    linear_only : bool, default=False
        Whether to skip the other rankings.

    See Also
    --------
    ipcae.selectors.Elimination : Backward elimination with ridge weights.
    ipcae.selectors.GroupLasso : The order of a group lasso path.
    ipcae.selectors.LogisticBackward : Backward elimination with logistic regressions.
    ipcae.selectors.RandomForest : Importances of a random forest.
    ipcae.selectors.BoostedElimination : Backward elimination with boosted trees.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import Adaptive
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(3, method=Adaptive(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    threshold: float = 0.6
    linear_only: bool = False

    needs = "target"
    copies = 13.0
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the scores of the ranking that is used. Shape: -> (D,)."""
        known: dict[Ranking, Floats] = {}
        if self._compares(examples, n_selected):
            judge = Elimination() if examples.discrete else GroupLasso()
            examples, known = on_preferred_scale(examples, judge, n_selected)
        ranking = self._suitable(examples, n_selected, known)
        if ranking.sized:
            scores = ranking.scores(examples, n_selected, seed)
        else:
            scores = cached_scores(ranking, examples, seed)
        if self.linear_only:
            return scores
        others = (
            scores_with_products(ranking, examples, scores, n_selected),
            scores_of_trees(examples),
        )
        scores = preferred_scores(examples, scores, others, n_selected)
        return scores_or_curves(examples, scores, n_selected)

    def _units(
        self, problem: Problem, examples: Examples | None, of_units: Scores, count: int
    ) -> Integers:
        """Return the units with the best scores or, within a budget, those that predict best."""
        ranked, given = super()._units(problem, examples, of_units, count), problem.constraints
        if examples is None or self.costs is not None or not given.binds(count):
            return ranked
        return with_additions(given, ranked, of_units, count, examples)

    def _compares(self, examples: Examples, n_selected: int) -> bool:
        """Return whether rankings are compared on folds."""
        n_units = examples.n_units(np.ones(examples.inputs.shape[1], dtype=bool))
        return not self.linear_only and n_selected < n_units and _few_enough(examples)

    def _suitable(
        self, examples: Examples, n_selected: int, known: Mapping[Ranking, Floats]
    ) -> Ranking:
        """Return the ranking that suits a table, given errors of rankings that are known."""
        n_rows, n_columns = examples.inputs.shape
        classes = classes_of(examples)
        n_classes = 0 if classes is None else classes.max() + 1
        noise = noise_share(examples.inputs) if n_classes == 2 else 0.0
        independent = noise > self.threshold
        first: Ranking = Elimination() if independent else GroupLasso()
        if n_classes > 2:
            first = LogisticBackward()
        if not self._compares(examples, n_selected):
            return first
        grouped = n_columns >= GROUPED * examples.n_units(np.ones(n_columns, dtype=bool))
        added: list[Ranking] = [GroupForward()] if grouped else []
        if n_classes <= 2:
            added.append(Forward())
        if noise > INDEPENDENT:
            return preferred(examples, [first, *added], n_selected, known)
        backward = Backward(drop=0.1)
        if independent:
            rankings = [backward, first, GroupLasso(), *added]
            return preferred(examples, rankings, n_selected, known)
        others: list[Ranking] = [Elimination(), backward]
        if not examples.discrete:
            others.append(Nonredundant())
        elif n_rows < n_columns:
            others.append(RandomForest(100))
        if n_classes > 2:
            others.append(GroupLasso())
        return preferred(examples, [first, *others, *added], n_selected, known)


def _few_enough(examples: Examples) -> bool:
    """Return whether there are few enough rows to compare rankings on folds."""
    if examples.discrete and classes_of(examples) is None:
        return False
    most = MOST_TO_COMPARE if examples.discrete else MANY_ROWS
    return FEWEST_TO_COMPARE <= len(examples.inputs) < most


def scores_with_products(
    ranking: Ranking,
    examples: Examples,
    scores: Scores,
    n_selected: int,
    numbers: Examples | None = None,
) -> Scores | None:
    """Rank products among the columns, if some explain what the best columns leave.

    ``numbers`` are the examples with numbers to explain, if the targets are censored times.
    """
    best = examples.best_columns(scores, n_selected)
    n_columns, every = len(scores), examples.with_given()
    n_given = every.inputs.shape[1] - n_columns
    known = np.append(best, n_columns + np.arange(n_given))
    of_given = n_given * (n_given + 1) // 2
    pairs = informative_products(
        (numbers or examples).with_given(), known, 2 * n_selected + of_given
    )
    pairs = pairs[pairs[:, 0] < n_columns][: 2 * n_selected]
    if not len(pairs):
        return None
    ranked = ranking.scores(with_products(every, pairs), n_selected + n_given, 0)
    return of_columns(ranked, pairs)[:n_columns]


def scores_of_trees(examples: Examples) -> Scores | None:
    """Rank the columns by trees, the same in every run, if there are enough rows."""
    n_columns, examples = examples.inputs.shape[1], examples.with_given()
    if suits_trees(examples):
        return cached_scores(BoostedElimination(), examples, 0)[:n_columns]
    if len(examples.inputs) < FEWEST_FOR_TREES:
        return None
    forest = RandomForest(n_trees=100)
    return cached_scores(forest, examples.thinned(MOST_FOR_TREES), 0)[:n_columns]


def scores_or_curves(examples: Examples, scores: Scores, n_selected: int) -> Scores:
    """Return the scores, or those of an additive model of curves if it selects better columns.

    Better means by three standard errors: curves fit the held-out rows more closely than others,
    because they have seen them.
    """
    if len(examples.inputs) < FEWEST_FOR_CURVES:
        return scores
    curves = AdditiveForward().scores(examples, n_selected, 0)
    return preferred_scores(examples, scores, [curves], n_selected, n_errors=3)
