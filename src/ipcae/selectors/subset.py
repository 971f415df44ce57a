"""Draws of K of D features without replacement: a selection that is unique by construction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.errors import invalid_argument
from ipcae.models import Params
from ipcae.ops import draw_subsets, group_rows
from ipcae.ops.subset_select import NOISES
from ipcae.parametrizations import Direct, Parametrization
from ipcae.regularizers import FeatureCosts
from ipcae.runs import BatchPart, Stream
from ipcae.schedules import Exponential, Linear, Progress, Schedule, scheduled
from ipcae.selectors.base import Shape
from ipcae.selectors.draw_then_decode import DrawThenDecode
from ipcae.selectors.joint import Joint, require_parts


@dataclass(frozen=True)
class Subset(Joint):
    """One logit θ per feature, and draws of K features without replacement.

    A draw consists of the K largest of θ / T + noise, and gradients pass through the approximate
    inclusion probabilities σ(θ / T + τ) of :mod:`ipcae.ops.subset_select`. A draw needs D random
    numbers instead of the K · D of K concrete nodes, and no two of its features are the same. The
    decoder reads all D columns, those outside the draw as zero, and has weights for every
    column; fine-tuning starts from the weights of the K selected ones.

    Parameters
    ----------
    parametrization : Parametrization, default=Direct()
        Parametrization of θ, as that of a single node: ``Direct()`` or ``Full()``.
    temperature : Schedule, default=Exponential(0.1, 0.01)
        T as a function of progress.
    noise_draws : int or "row", default="row"
        Independent draws per batch, each shared by consecutive rows. ``"row"`` draws one per row.
    noise : "logistic" or "gumbel", default="logistic"
        Distribution of the noise.
    surplus : Schedule, optional
        Exponent a as a function of progress: a draw has K^(1 − a) D^a features, all if a is 1 and
        K if it is 0. None draws K from the beginning.
    regularizer : FeatureCosts, optional
        Soft penalties on features, in proportion to their inclusion probabilities.

    See Also
    --------
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.
    StochasticGates : A network with a gate per feature.

    Examples
    --------
    >>> Subset().parametrization
    Direct()
    """

    parametrization: Parametrization = Direct()
    temperature: Schedule = Exponential(0.1, 0.01)
    noise_draws: int | str = "row"
    noise: str = "logistic"
    surplus: Schedule | None = Linear(0.5, 0.0)
    regularizer: FeatureCosts | None = None

    def __post_init__(self) -> None:
        require_parts(self.parametrization, self.temperature, self.regularizer)
        if self.noise not in NOISES:
            raise invalid_argument("noise", self.noise, f"one of {', '.join(NOISES)}")

    def model(self, shape: Shape, constraints: Constraints | None = None) -> DrawThenDecode:
        """Return the model: draws of masks, followed by a decoder of all columns."""
        sizes = (shape.n_features, shape.n_selected, shape.n_outputs)
        given, costs = constraints or Constraints(shape.n_features), self.regularizer
        if costs is not None:
            n_nothing = max(given.n_to_choose(shape.n_selected) - 1, 0)
            costs = costs.of_candidates(given, shape.n_selected)
            if given.binds(shape.n_selected):  # as many units of nothing as are drawn
                costs = replace(costs, costs=costs.costs + (0.0,) * n_nothing)
        return DrawThenDecode(self, shape.decoder, *sizes, given, costs)

    @property
    def penalty_weight(self) -> float | tuple[float, ...]:
        """λ of the soft penalties on features, or 0 without them."""
        return self.regularizer.weight if self.regularizer else 0.0

    def with_costs(self, costs: FeatureCosts) -> Self:
        """Return the method with soft penalties on features."""
        return replace(self, regularizer=costs)

    def init(self, n_units: int, stream: Stream) -> Params:
        """Draw the initial tensors of θ, the run axis first."""
        return self.parametrization.init(1, n_units, stream)

    def theta(self, params: Params) -> Tensor:
        """Return θ. Shape: -> (R, U)."""
        return self.parametrization.logits(params).squeeze(1)

    def temperature_at(self, progress: Progress) -> float | Tensor:
        """Return the current temperature."""
        return scheduled(self.temperature, progress)

    def masks(
        self, theta: Tensor, counts: Tensor, n_rows: int, progress: Progress, stream: Stream
    ) -> Tensor:
        """Draw a mask for every row. Shape: theta (R, U); counts (R,) -> (R, B, U)."""
        if self.surplus is not None:
            counts = _widened(counts, theta.shape[1], scheduled(self.surplus, progress))
        scores = theta / self.temperature_at(progress)
        # If other processes have the other rows of a batch, these get the same draws as there.
        part = stream.part or BatchPart(0, n_rows)
        _, group = group_rows(part.n_rows, self.noise_draws)
        first, end = part.first // group, -(-(part.first + n_rows) // group)
        if stream.part is not None:
            stream = stream.next_draw(first, theta.shape[1])
        masks = draw_subsets(scores, counts, end - first, stream, self.noise)
        if group == 1:
            return masks
        shared = masks.unsqueeze(2).expand(-1, -1, group, -1).flatten(1, 2)
        start = part.first - first * group
        return shared[:, start : start + n_rows]

    def n_logits(self, shape: Shape) -> int:
        """Return the number of logits of a run: one per feature or group."""
        return shape.n_units

    def sampling_bytes(self, shape: Shape, n_runs: int, batch_size: int, on_cpu: bool) -> int:
        """Return the memory of the masks, the masked rows and their gradients in a step."""
        at_once = 4 * n_runs + (3 if on_cpu else 0)  # noise is drawn run by run on the CPU
        return 4 * at_once * batch_size * shape.n_features


def _widened(counts: Tensor, n_units: int, exponent: float | Tensor) -> Tensor:
    """Return K^(1 − a) U^a, rounded. Shape: (R,) -> (R,).

    >>> import torch
    >>> _widened(torch.tensor([4.0, 10.0]), 100, 0.5)
    tensor([20., 32.])
    """
    if counts.device.type == "cpu" and len(counts) > 1:
        # Run by run, because vector code and its scalar remainder differ in the last bit.
        return torch.cat([_widened(count, n_units, exponent) for count in counts.split(1)])
    return (counts * (n_units / counts.clamp(min=1)) ** exponent).round()
