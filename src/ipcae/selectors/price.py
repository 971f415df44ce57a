"""A price on the features of a concrete method, which keeps their expected cost within a budget.

The logits of a feature of cost c are lowered by λ·c, where the price λ ≥ 0 of a run rises while the
expected cost of its nodes is larger than the budget, and falls while it is smaller: the dual ascent
of the Lagrangian. Nodes thus move from expensive features to cheaper ones that serve as well. A
node may also choose nothing, a column of zeros that costs nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.constraints import Constraints
from ipcae.models import Params

_RATE = 0.1  # change of the price per step, if twice the budget is spent


def price_tensors(constraints: Constraints, n_nodes: int, offset: Tensor) -> Params:
    """Return the tensors of a price of zero, given the offset of the logits.

    Costs are in units of the budget per node. Shape: offset (R, C), of the candidates followed by
    nothing -> ``buffer:price`` (R,), ``buffer:costs`` and ``buffer:offset`` (R, C).
    """
    costs = torch.tensor(constraints.cost_of_units[constraints.candidates], dtype=torch.float32)
    costs = costs * (n_nodes / max(constraints.left, 1e-30))
    costs = functional.pad(costs, (0, offset.shape[1] - len(costs)))
    return {
        "buffer:price": torch.zeros(len(offset), device=offset.device),
        "buffer:costs": costs.to(offset.device).repeat(len(offset), 1),
        "buffer:offset": offset.clone(),
    }


@torch.no_grad()
def adjust_price(price: Params, probability: Tensor, offset: Tensor, n_nodes: int) -> None:
    """Adjust the price after a step, and with it the offset of the logits, in place.

    Shape: probability, that a unit is selected, and offset (R, C).
    """
    costs = price["buffer:costs"]
    expected = (probability * costs).sum(-1) / n_nodes
    value = price["buffer:price"]
    value.add_(_RATE * (expected - 1)).clamp_(min=0)
    offset.copy_(price["buffer:offset"] - value.unsqueeze(1) * costs)
