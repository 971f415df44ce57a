"""Cox's partial likelihood of times that may be censored."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.errors import InputError, invalid_argument

_TIES = ("efron", "breslow")
_NEVER = -1e30  # the log hazard of a row of weight 0: a finite number, for finite gradients


@dataclass(frozen=True)
class CoxPartialLikelihood:
    """Negative logarithm of Cox's partial likelihood; the output is the log hazard ratio η.

    A row i with an event has the loss log Σ_j w_j exp(η_j) − η_i, where j are the rows at risk:
    those whose time is not shorter. A censored row has the loss 0, but is at risk until its time.
    With tied events, Efron's approximation removes a growing part of the tied rows from the sum,
    and every tied row gets the mean of the logarithms. The weighted sum of the losses is that of
    R's ``coxph``.

    The rows at risk are those of the batch. A training step thus maximizes the partial likelihood
    of a random sample of rows; evaluation compares all rows of the sample.

    Parameters
    ----------
    ties : "efron" or "breslow", default="efron"
        How tied events are treated.

    See Also
    --------
    SurvivalSelector : Uses it by default.
    losses.CrossEntropy : For classes instead of times.

    Examples
    --------
    Two rows of equal risk, one of which has an event at time 1 while both are at risk:

    >>> times_and_events = torch.tensor([[1.0, 1.0], [2.0, 0.0]])
    >>> CoxPartialLikelihood().per_row(torch.zeros(1, 2, 1), times_and_events)
    tensor([[0.6931, 0.0000]])
    """

    ties: str = "efron"
    metric = "loss"
    compares_rows = True

    def __post_init__(self) -> None:
        if self.ties not in _TIES:
            raise invalid_argument("ties", self.ties, f"one of {_TIES}")

    def per_row(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Shape: outputs (R, B, 1); targets (B, 2), time and event -> (R, B)."""
        if outputs.shape[2:] != (1,) or targets.shape != (outputs.shape[1], 2):
            raise InputError(
                f"The outputs have shape {tuple(outputs.shape)} and the targets "
                f"{tuple(targets.shape)}: expected one output per row, and its time and event."
            )
        order = targets[:, 0].argsort(descending=True, stable=True)
        earlier = -targets[order, 0].contiguous()
        # Positions of the first and the last row with the same time.
        first = torch.searchsorted(earlier, earlier)
        last = torch.searchsorted(earlier, earlier, right=True) - 1
        events = targets[order, 1].to(outputs.dtype)
        back = order.argsort()
        losses = []
        # Run by run: vectorized exponentials differ from those of the scalar remainder.
        for run, log_hazard in enumerate(outputs[:, order, 0]):
            of_run = (
                weights if weights is None or weights.ndim == 1 else weights[run % len(weights)]
            )
            of_run = None if of_run is None else of_run[order].to(outputs.dtype)
            losses.append(self._sorted(log_hazard, events, of_run, first, last)[back])
        return torch.stack(losses)

    def _sorted(
        self,
        log_hazard: Tensor,
        events: Tensor,
        weights: Tensor | None,
        first: Tensor,
        last: Tensor,
    ) -> Tensor:
        """Return the losses of rows in the order of decreasing times. Shape: all (B,)."""
        weighted = log_hazard
        if weights is not None:
            events = events * (weights > 0)
            log_weights = weights.clamp(min=torch.finfo(weights.dtype).tiny).log()
            weighted = torch.where(weights > 0, log_hazard + log_weights, _NEVER)
        log_risk = weighted.logcumsumexp(0)[last]
        if self.ties == "breslow":
            return events * (log_risk - log_hazard)

        def tied(values: Tensor) -> Tensor:
            """Return the sum over the rows with an event at the same time."""
            return torch.zeros_like(values).index_add(0, first, values * events)[first]

        n_tied = tied(torch.ones_like(events)).clamp(min=1)
        up_to = events.cumsum(0)
        removed = (up_to - (up_to - events)[first] - 1).clamp(min=0) / n_tied
        share = tied((weighted - log_risk).exp()).clamp(max=1)
        terms = tied(log_risk + torch.log1p(-removed * share)) / n_tied
        return events * (terms - log_hazard)

    def measure(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the loss. Shape: as ``per_row``."""
        return self.per_row(outputs, targets, weights)
