"""Importance of the selected features on given rows, with an error bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.evaluation.sample import Sample, shuffled

MOST_ROWS, N_SHUFFLES = 2000, 5


@dataclass(frozen=True, eq=False)
class Importance:
    """How much the loss of every row increases when a selected column is shuffled.

    Shape: features (F,), the selected columns; increases (N, F); targets (N, ...), encoded.
    """

    features: NDArray[np.int64]
    increases: NDArray[np.float64]
    targets: Tensor

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean over the rows. Shape: -> (F,)."""
        return self.increases.mean(0)

    @property
    def error(self) -> NDArray[np.float64]:
        """The standard error of the mean. Shape: -> (F,)."""
        n_rows = len(self.increases)
        if n_rows < 2:
            return np.full(len(self.features), np.nan)
        return self.increases.std(0, ddof=1) / np.sqrt(n_rows)


@torch.no_grad()
def importance_on(selector: Any, sample: Sample, *, seed: int = 0) -> Importance:
    """Return the permutation importance of a fitted selector's features on a sample.

    Unlike ``selector.importance_``, which is computed on the validation rows, these rows can be
    others than those that the epoch and the run were chosen by.

    Parameters
    ----------
    selector : NeuralSelector
        A fitted selector.
    sample : Sample
        Rows with encoded targets. At most 2,000 of them are used.
    seed : int
        Seed of the shuffles; every column is shuffled five times.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import RegressionSelector
    >>> from ipcae.evaluation import importance_on, read_sample
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> y = 3 * X[:, 1]
    >>> selector = RegressionSelector(2, max_epochs=20, random_state=0).fit(X[:100], y[:100])
    >>> importance = importance_on(selector, read_sample(selector, X[100:], y[100:]))
    >>> int(importance.features[importance.mean.argmax()])
    1
    """
    sample = sample.at_most(MOST_ROWS)
    nodes = torch.as_tensor(selector.selection_.features)
    features, which = np.unique(nodes.numpy(), return_inverse=True)
    loss, targets = selector.task_.loss_for(selector.loss), sample.scaled(selector).targets.cpu()
    values = sample.rows.inputs.cpu()[:, nodes]
    orders = [shuffled(len(sample), seed + i) for i in range(N_SHUFFLES)]

    def losses(selected: Tensor) -> NDArray[np.float64]:
        outputs = selector.decode_selected(selected).to(torch.float32)[None]
        return loss.per_row(outputs, targets)[0].double().numpy()

    reference = losses(values)
    increases = np.zeros((len(sample), len(features)))
    for place in range(len(features)):
        columns = torch.from_numpy(np.flatnonzero(which == place))
        for order in orders:
            mixed = values.clone()
            mixed[:, columns] = values[order][:, columns]
            increases[:, place] += (losses(mixed) - reference) / len(orders)
    return Importance(features, increases, sample.rows.targets)
