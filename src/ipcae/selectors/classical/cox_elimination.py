"""Backward elimination by Cox models with a ridge estimated from the correlations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.decoders import linear_decoder
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.elimination import deviations, dropping_steps
from ipcae.selectors.classical.statistics.noise_share import noise_share
from ipcae.survival import RiskSets, fit_cox


@dataclass(frozen=True)
class CoxElimination(Ranking):
    """Repeatedly drop the features with the smallest coefficients in a Cox model.

    The ridge of the Cox models is δ / (1 − δ) times the number of events, where δ is the share of
    the columns' correlations that is sampling noise (:func:`noise_share`): with independent columns
    the ranking is close to a univariate test; with redundant columns, one of each group is kept.

    Parameters
    ----------
    drop : float, default=0.1
        Fraction of the features to drop in each step; from K / 2 on, one at a time.
    n_iterations : int, default=20
        Largest number of steps to fit a Cox model, starting from the previous model.

    See Also
    --------
    ipcae.selectors.CoxScore : Univariate score tests of Cox models.
    ipcae.selectors.Elimination : Backward elimination with ridge weights.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import SurvivalSelector
    >>> from ipcae.selectors import CoxElimination
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 8))
    >>> time = random.exponential(np.exp(-X[:, 3] - X[:, 7]))
    >>> y = np.column_stack([np.minimum(time, 2), time < 2])
    >>> selector = SurvivalSelector(2, method=CoxElimination(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([3, 7])
    """

    drop: float = 0.1
    n_iterations: int = 20

    needs = "times"
    random = False
    auto_decoder = linear_decoder()
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the step at which a feature is dropped. Shape: -> (D,)."""
        inputs = examples.inputs
        noise = noise_share(inputs)
        columns = (inputs - inputs.mean(0)) / deviations(examples, noise)
        time, event = examples.targets.T
        risk = RiskSets.of(time, event, examples.row_weights)
        ridge = noise / (1 - noise) * float(risk.events.sum())
        log_hazard = np.zeros(len(inputs))

        def size(alive: Integers) -> Floats:
            nonlocal log_hazard
            coefficients = fit_cox(columns[:, alive], risk, ridge, log_hazard, self.n_iterations)
            log_hazard = columns[:, alive] @ coefficients
            return np.square(coefficients)

        return dropping_steps(size, columns.shape[1], n_selected, self.drop)
