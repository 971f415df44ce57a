"""K Gumbel-Softmax nodes: the selection layer of CAE and IP-CAE."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.errors import InputError
from ipcae.models import Params
from ipcae.ops import concrete_select, concrete_select_slots, gjsd, group_rows
from ipcae.ops.concrete_select import in_parts
from ipcae.ops.concrete_select.kept_weights import kept_bytes
from ipcae.parametrizations import Full, Parametrization
from ipcae.regularizers import FeatureCosts, Gjsd
from ipcae.runs import Stream
from ipcae.schedules import Exponential, Progress, Schedule, scheduled
from ipcae.selection import unique_percentage
from ipcae.selectors.base import Shape
from ipcae.selectors.joint import Joint, require_parts
from ipcae.selectors.select_then_decode import SelectThenDecode

# Added to the logits of avoided features: the probability is zero at any temperature, but the
# logits remain finite, so that no gradient becomes NaN.
_AVOIDED = -1e4


@dataclass(frozen=True)
class Concrete(Joint):
    """K nodes, each a relaxed categorical distribution over the D features.

    Parameters
    ----------
    parametrization : Parametrization, default=Full()
        Parametrization of the logits: ``Direct()`` for CAE, ``Full()`` for IP-CAE.
    temperature : Schedule, default=Exponential(10.0, 0.01)
        T as a function of progress.
    noise_draws : int or "row", default=8
        Independent draws of Gumbel noise per batch. ``"row"`` draws one per row, as in the paper.
    regularizer : Gjsd or FeatureCosts, optional
        A penalty on the distributions of the nodes.
    straight_through : bool, default=False
        Whether to use hard samples with soft gradients in training.

    See Also
    --------
    Full : A full matrix W, as in IP-CAE.
    Direct : Learn the logits themselves, as in CAE.
    Gjsd : Reward nodes that differ.
    Subset : Draws of K features without replacement.

    Examples
    --------
    >>> from ipcae.parametrizations import Direct
    >>> Concrete(Direct(), regularizer=Gjsd(0.05)).penalty_weight
    0.05
    """

    parametrization: Parametrization = Full()
    temperature: Schedule = Exponential(10.0, 0.01)
    noise_draws: int | str = 8
    regularizer: Gjsd | FeatureCosts | None = None
    straight_through: bool = False

    def __post_init__(self) -> None:
        require_parts(self.parametrization, self.temperature, self.regularizer)

    @property
    def penalty_weight(self) -> float | tuple[float, ...]:
        """λ of the regularizer, or 0 without one."""
        return self.regularizer.weight if self.regularizer else 0.0

    def init(self, n_nodes: int, preferred: Tensor, stream: Stream) -> Params:
        """Draw the initial tensors. Shape: preferred (D,), False for features to avoid."""
        params = self.parametrization.init(n_nodes, len(preferred), stream)
        if not bool(preferred.all()):
            offset = torch.where(preferred, 0.0, _AVOIDED).to(stream.device)
            params["buffer:offset"] = offset.repeat(len(stream.seeds), 1)
        return params

    def model(self, shape: Shape, constraints: Constraints | None = None) -> SelectThenDecode:
        """Return the model: the nodes, followed by a decoder."""
        sizes = (shape.n_features, shape.n_selected, shape.n_outputs)
        given = constraints or Constraints(shape.n_features)
        nodes = self
        if isinstance(self.regularizer, FeatureCosts):
            costs = self.regularizer.of_candidates(given, shape.n_selected)
            nodes = replace(self, regularizer=costs)
        return SelectThenDecode(nodes, shape.decoder, *sizes, given)

    def with_costs(self, costs: FeatureCosts) -> Self:
        """Return the method with soft penalties on features."""
        if self.regularizer is not None:
            raise InputError(
                f"method has a regularizer already ({self.regularizer}), which cannot be combined "
                "with soft penalties on features, such as limits of the expression: leave out one "
                "of them."
            )
        return replace(self, regularizer=costs)

    def select(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return the selected values, and the penalty for weight 1 or None.

        Samples are soft with a stream; without one, every node reads the feature with its largest
        logit.

        Shape: rows (B, D) -> (R, B, K), (R,); rows (B, S, D) of S slots -> (R, B, K, S), (R,).
        """
        logits = self.logits(params)
        select = concrete_select if rows.ndim == 2 else concrete_select_slots
        selected = select(
            logits,
            rows,
            scheduled(self.temperature, progress),
            draws=self.noise_draws,
            stream=stream,
            straight_through=self.straight_through,
        )
        if self.regularizer is None:
            return selected, None
        nodes = params.get("buffer:nodes")
        if nodes is None:
            return selected, self.regularizer.penalty(logits)
        return selected, self.regularizer.penalty(logits, nodes)

    def logits(self, params: Params) -> Tensor:
        """Return log α. Shape: -> (R, K, D)."""
        logits = self.parametrization.logits(params)
        offset = params.get("buffer:offset")
        return logits if offset is None else logits + offset.unsqueeze(1)

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return unique percentage, GJSD, temperature and the mean of the largest probability."""
        logits, nodes = self.logits(params), params.get("buffer:nodes")
        largest = torch.softmax(logits, dim=-1).amax(-1)
        mean = largest.mean(-1)
        if nodes is not None:
            mean = (largest * nodes).sum(-1) / nodes.sum(-1).clamp(min=1)
        return {
            "unique_percentage": unique_percentage(logits.argmax(-1), nodes),
            "gjsd": gjsd(logits, nodes),
            "temperature": logits.new_ones(len(logits)) * scheduled(self.temperature, progress),
            "largest_probability": mean,
        }

    def sampling_bytes(self, shape: Shape, n_runs: int, batch_size: int, on_cpu: bool) -> int:
        """Return the memory of the logits, their gradients and the samples of a step."""
        one = shape.n_selected * shape.n_units
        logits = 4 * n_runs * one
        n_draws, group = group_rows(batch_size, self.noise_draws)
        if not on_cpu:
            sizes = n_runs, batch_size, shape.n_selected, shape.n_units
            return 5 * logits + (kept_bytes(*sizes) if group == 1 else 0)
        numbers = n_draws * one
        drawn = min(numbers, max(in_parts.PART // one, 1) * one)
        if numbers > in_parts.KEPT:
            return 4 * (logits + 4 * drawn)
        samples = 4 * n_runs * numbers
        return max(2 * logits + samples + 16 * drawn, 3 * logits + 2 * samples)
