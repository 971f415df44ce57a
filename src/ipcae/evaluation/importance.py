"""Importance of the selected features on given rows, with an error bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Floats, Integers, quotient
from ipcae.evaluation.sample import Sample, shuffled
from ipcae.tables.encodings.encoded_scaler import EncodedScaler

MOST_ROWS, N_SHUFFLES = 2000, 5
_MOST_OUTPUTS, _FEWEST_ROWS = 2e6, 100


@dataclass(frozen=True, eq=False)
class Importance:
    """How much the loss of every row increases when a selected column is shuffled.

    ``donated`` is the mean increase of the losses of those rows that got the value of this one.
    ``influence`` is how much every output of the decoder changes then: the root of the mean
    squared change, relative to the standard deviation of the output.

    Shape: features (F,), the selected columns; increases, donated (N, F); influence (F, O);
    targets (N, ...), encoded; groups (N,) of rows that belong together, if any do.
    """

    features: Integers
    increases: Floats
    donated: Floats
    influence: Floats
    targets: Tensor
    groups: NDArray[Any] | None = None

    @property
    def mean(self) -> Floats:
        """The mean over the rows. Shape: -> (F,)."""
        return self.increases.mean(0)

    @property
    def error(self) -> Floats:
        """The standard error of the mean, NaN for two rows or groups. Shape: -> (F,).

        A row influences the mean in two ways: by its own loss, and by its value in other rows.
        """
        effects = self.increases + self.donated - 2 * self.mean
        if self.groups is not None:
            members = np.unique(self.groups, return_inverse=True)[1]
            sums = np.zeros((int(members.max()) + 1, effects.shape[1]))
            np.add.at(sums, members, effects)
            effects = sums
        n_units, n_rows = len(effects), len(self.increases)
        if n_units < 3:  # two rows can only exchange their values
            return np.full(len(self.features), np.nan)
        return np.sqrt(np.square(effects).sum(0) * n_units / (n_units - 1)) / n_rows


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
        Rows with encoded targets. At most 2,000 of them are used, fewer with many outputs.
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
    n_outputs = selector.task_.n_outputs
    sample = sample.at_most(min(MOST_ROWS, max(int(_MOST_OUTPUTS / n_outputs), _FEWEST_ROWS)))
    nodes = torch.as_tensor(selector.selection_.features)
    features, which = np.unique(nodes.numpy(), return_inverse=True)
    loss, targets = selector.task_.loss_for(selector.loss), sample.scaled(selector).targets.cpu()
    values = sample.rows.inputs.cpu()[:, nodes]
    orders = [shuffled(len(sample), seed + i) for i in range(N_SHUFFLES)]

    def losses(outputs: Tensor) -> Floats:
        return loss.per_row(outputs.to(torch.float32)[None], targets)[0].double().numpy()

    outputs = selector.decode_selected(values)
    reference = losses(outputs)
    increases, donated = np.zeros((2, len(sample), len(features)))
    changes = np.zeros((len(features), outputs.shape[1]))
    for place in range(len(features)):
        columns = torch.from_numpy(np.flatnonzero(which == place))
        for order in orders:
            mixed = values.clone()
            mixed[:, columns] = values[order][:, columns]
            changed = selector.decode_selected(mixed)
            increase = (losses(changed) - reference) / len(orders)
            increases[:, place] += increase
            donated[order.numpy(), place] += increase
            changes[place] += (changed - outputs).square().mean(0).numpy() / len(orders)
    deviation = outputs.std(0, correction=0).numpy()
    influence = quotient(np.sqrt(changes), deviation)
    return Importance(
        features,
        increases,
        donated,
        _by_column(selector, influence),
        sample.rows.targets,
        sample.groups,
    )


def _by_column(selector: Any, influence: Floats) -> Floats:
    """Return the influence on the user's columns, given that on the columns that encode them."""
    scaler = selector.scaler_
    if not (selector.task_.head.restores_columns and isinstance(scaler, EncodedScaler)):
        return influence
    of_columns = np.zeros((scaler.expansion.n_columns, len(influence)))
    np.maximum.at(of_columns, scaler.expansion.owner, influence.T)
    return of_columns.T
