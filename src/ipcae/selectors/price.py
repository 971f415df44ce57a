"""A price on the features of a concrete method, which keeps their expected cost within a budget.

The logits of a feature of cost c are lowered by λ·c, where the price λ ≥ 0 of a run rises while the
expected cost of its nodes is larger than the budget, and falls while it is smaller: the dual ascent
of the Lagrangian. Nodes thus move from expensive features to cheaper ones that serve as well. A
node may also choose nothing, a column of zeros that costs nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.models import Params
from ipcae.selection import selection_probability

_RATE = 0.1  # change of the price per step, if twice the budget is spent


def price_tensors(constraints: Constraints, n_nodes: int, offset: Tensor) -> Params:
    """Return the tensors of a price of zero, given the offset of the logits.

    Costs are in units of the budget per node. Shape: offset (R, C), of the candidates and of
    nothing -> ``buffer:price`` (R,), ``buffer:costs`` and ``buffer:offset`` (R, C).
    """
    costs = torch.tensor(constraints.cost_of_units[constraints.candidates], dtype=torch.float32)
    costs = torch.cat([costs * (n_nodes / max(constraints.left, 1e-30)), torch.zeros(1)])
    return {
        "buffer:price": torch.zeros(len(offset), device=offset.device),
        "buffer:costs": costs.to(offset.device).repeat(len(offset), 1),
        "buffer:offset": offset.clone(),
    }


@torch.no_grad()
def adjust_price(price: Params, logits: Tensor, offset: Tensor, nodes: Tensor | None) -> None:
    """Adjust the price after a step, and with it the offset of the logits, in place.

    Shape: logits (R, K, C); offset (R, C); nodes (R, K), 1 for those that are used.
    """
    costs, n_nodes = price["buffer:costs"], logits.shape[1]
    expected = (selection_probability(logits, nodes) * costs).sum(-1) / n_nodes
    value = price["buffer:price"]
    value.add_(_RATE * (expected - 1)).clamp_(min=0)
    offset.copy_(price["buffer:offset"] - value.unsqueeze(1) * costs)
