"""Forward selection of columns by an additive model of curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from ipcae.arrays import Floats, Integers
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import weighted

MOST_ROWS, MOST_COLUMNS = 1000, 1000
"""Of more rows, some are used; of more columns, those that explain most by themselves."""

_BLOCK = 2**21  # values of curves at a time
_DEPENDENT = 1e-6  # share of the variance: a curve with less is a combination of others
_TINY = 1e-12


@dataclass(frozen=True)
class AdditiveForward(Ranking):
    """Repeatedly add the feature whose curve explains most of what the others leave unexplained.

    A curve is a sum of cosines of the ranks of a feature, so it may be a wave, an interval or an
    absolute value, which a linear model misses, and which a forest finds among few features only.
    The curves of all added features are fitted again, by ridge regression, with every feature.

    Parameters
    ----------
    n_cosines : int, default=4
        Number of cosines, of 1/2, 1, 3/2, ... periods.
    ridge : float, default=1.0
        Penalty, relative to the sum of squares of a cosine.

    See Also
    --------
    ipcae.selectors.Adaptive : Compares it with other rankings.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(100, 50))
    >>> examples = Examples(X, abs(X[:, [7]]) + np.cos(4 * X[:, [30]]), discrete=False)
    >>> AdditiveForward().scores(examples, n_selected=2, seed=0)[[7, 30]]
    array([1., 2.])
    """

    n_cosines: int = 4
    ridge: float = 1.0

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return K for the feature added first, then less, and at most ½ for others.

        One column of a unit is added. Shape: -> (D,).
        """
        examples = examples.thinned(MOST_ROWS)
        _, targets = weighted(examples, balance=0.0)
        roots = np.sqrt(examples.relative_weights)
        alone = np.concatenate(
            [
                explained(*self.curves(block, roots), targets)
                for block in np.array_split(
                    examples.inputs.T, 1 + examples.inputs.size * self.n_cosines // _BLOCK
                )
            ]
        )
        best = np.argsort(-alone, kind="stable")[:MOST_COLUMNS]
        curves, freedom = self.curves(examples.inputs.T[best], roots)
        units, left = examples.unit_of[best], np.ones(len(best), dtype=bool)
        scores = (alone - alone.min()) / max(np.ptp(alone), _TINY) / 2
        added, gains = np.zeros((0, len(targets))), alone[best]
        if examples.given is not None:
            given, _ = self.curves(examples.given.T, roots)
            added = given.reshape(-1, len(targets))
            gains = explained(curves, freedom, self._unexplained(added, targets))
        for place in range(n_selected, 0, -1):
            if not left.any():
                break
            column = int(np.where(left, gains, -np.inf).argmax())
            scores[best[column]] = place
            left[units == units[column]] = False
            added = np.vstack([added, curves[column]])
            gains = explained(curves, freedom, self._unexplained(added, targets))
        return scores

    def _unexplained(self, curves: Floats, targets: Floats) -> Floats:
        """Return what a ridge regression on curves leaves. Shape: (C, N), (N, T) -> (N, T)."""
        moments = curves @ curves.T + self.ridge * np.eye(len(curves))
        return np.asarray(targets - curves.T @ np.linalg.solve(moments, curves @ targets))

    def curves(self, columns: Floats, roots: Floats) -> tuple[Floats, Integers]:
        """Return an orthonormal basis of the curves of every column, and their number.

        Of a column with few values, some cosines are combinations of the others; these are zero.

        Shape: columns (D, N), roots of the weights (N,) -> (D, H, N), (D,).
        """
        n_rows = columns.shape[1]
        ranks = (rankdata(columns, axis=1) - 0.5) / n_rows
        cosines = np.cos(np.pi * ranks[:, None] * np.arange(1, self.n_cosines + 1)[:, None])
        weights = np.square(roots) / np.square(roots).sum()
        cosines = (cosines - (cosines @ weights)[..., None]) * roots
        variances, axes = np.linalg.eigh(cosines @ cosines.transpose(0, 2, 1))
        varying = variances > _DEPENDENT * n_rows
        scale = np.where(varying, 1 / np.sqrt(np.where(varying, variances, 1)), 0)
        return scale[..., None] * (axes.transpose(0, 2, 1) @ cosines), varying.sum(1)


def explained(curves: Floats, freedom: Integers, targets: Floats) -> Scores:
    """Return the share of the targets that every column explains, beyond that expected by chance.

    It is in units of its standard deviation by chance, except for a common factor.

    Shape: (D, H, N), (D,), (N, T) -> (D,).
    """
    share = np.square(curves @ targets).sum((1, 2)) / max(np.square(targets).sum(), _TINY)
    return np.asarray((share - freedom / len(targets)) / np.sqrt(np.maximum(freedom, 1)))
