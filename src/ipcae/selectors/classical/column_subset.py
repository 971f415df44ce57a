"""Column subset selection: the columns that explain all others best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.column_exchange import exchange_columns
from ipcae.selectors.classical.column_residuals import BELOW, ColumnResiduals, add_one_by_one
from ipcae.selectors.classical.unit_forward import added_units, explained
from ipcae.training import Problem


@dataclass(frozen=True)
class ColumnSubset(Ranking):
    """Find the features that explain most of all features by linear regression.

    Features are added one by one, each the one that explains most of what the others leave
    unexplained (Farahat et al., 2011). Then features are exchanged, as long as this explains more.
    A step costs N · D; no D × D matrix is formed for tables with more columns than rows. Within
    groups, limits or a budget, units that fit are also added one by one, and used if they explain
    more.

    Parameters
    ----------
    exchanges : bool, default=True
        Whether to exchange features in the end.

    See Also
    --------
    ipcae.selectors.PivotedQr : Pivots of a QR decomposition.
    ipcae.selectors.PrincipalFeatures : Clusters of loadings.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ReconstructionSelector
    >>> from ipcae.selectors import ColumnSubset
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ReconstructionSelector(3, method=ColumnSubset(), max_epochs=1, random_state=0)
    >>> selector.fit(X).get_support(indices=True)
    array([0, 2, 6])
    """

    exchanges: bool = True

    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the sum of squares that a feature explains beyond the others. Shape: -> (D,)."""
        inputs = _centered(examples)
        left = ColumnResiduals(inputs)
        columns, scores = add_one_by_one(left.gains, lambda added: left.add(added[-1]), n_selected)
        if not self.exchanges or not 0 < len(columns) < inputs.shape[1]:
            return scores
        columns, own, gains = exchange_columns(inputs, columns)
        scores = np.minimum(gains, BELOW * own.min())
        scores[columns] = own
        return scores

    def _units(
        self, problem: Problem, examples: Examples | None, of_units: Scores, count: int
    ) -> Integers:
        """Return units that explain most of all features within groups, limits and a budget."""
        given = problem.constraints
        ranked = super()._units(problem, examples, of_units, count)
        free = not (given.groups or given.at_most or given.binds(count))
        if examples is None or self.costs is not None or free:
            return ranked
        inputs = _centered(examples)
        added = added_units(inputs, given, count)
        choices = [ranked, *(given.with_others(units, of_units, count) for units in added)]
        return max(choices, key=lambda units: explained(inputs, given.columns(units)))


def _centered(examples: Examples) -> Floats:
    """Center the columns, and multiply rows by the roots of their weights. Shape: -> (N, D)."""
    inputs = examples.inputs - examples.inputs.mean(0)
    if examples.weights is None:
        return inputs
    roots = np.sqrt(examples.weights)[:, None]
    return np.asarray((inputs - np.average(inputs, 0, examples.weights)) * roots)
