"""Elimination or the group lasso, by how correlated the columns are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.elimination import Elimination, classes_of, noise_share
from ipcae.selectors.classical.group_lasso import GroupLasso
from ipcae.selectors.classical.held_out import predict_better
from ipcae.selectors.classical.products import of_columns, telling_products, with_products


@dataclass(frozen=True)
class Adaptive(Ranking):
    """Backward elimination for classes and nearly independent columns, otherwise the group lasso.

    Columns are nearly independent if δ, the share of their correlations that is sampling noise
    (:func:`noise_share`), is larger than a threshold. The elimination is then close to a univariate
    test with moderated deviations.

    If products of two columns, or squares, explain what the K best columns leave unexplained
    (:func:`telling_products`), they are ranked among the columns, and a column has the score of its
    best term. So columns are found that matter only together. This ranking is used if its K best
    columns predict held-out rows better (:func:`predict_better`). ``docs/decisions/0008`` gives the
    measurements.

    Parameters
    ----------
    threshold : float
        The value of δ from which on the elimination is used.
    products : bool
        Whether to look for products.
    """

    threshold: float = 0.6
    products: bool = True

    needs = "target"
    random = False

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the scores of the ranking that is used. Shape: -> (D,)."""
        ranking: Ranking = GroupLasso()
        if classes_of(examples) is not None and noise_share(examples.inputs) > self.threshold:
            ranking = Elimination()
        scores = ranking.scores(examples, n_selected, seed)
        if not self.products:
            return scores
        chosen = best(scores, n_selected)
        pairs = telling_products(examples, chosen, most=2 * n_selected)
        if not len(pairs):
            return scores
        terms = ranking.scores(with_products(examples, pairs), n_selected, seed)
        with_pairs = of_columns(terms, pairs)
        better = predict_better(examples, best(with_pairs, n_selected), chosen)
        return with_pairs if better else scores


def best(scores: Scores, n_selected: int) -> NDArray[np.int64]:
    """Return the columns with the largest scores, the best first."""
    return np.argsort(-scores, kind="stable")[:n_selected]
