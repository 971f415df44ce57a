"""The concrete selection in plain PyTorch.

The reference for the faster versions in this folder, and the path of given noise, of float64, of
learned temperatures, and of GPUs without Triton.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.ops.run_linear import run_linear


def group_rows(n_rows: int, draws: int | str) -> tuple[int, int]:
    """Return the number of draws for a batch, and the number of rows that share each.

    >>> group_rows(128, 8), group_rows(128, "row"), group_rows(10, 4), group_rows(3, 8)
    ((8, 16), (128, 1), (4, 3), (3, 1))
    """
    if draws == "row":
        return n_rows, 1
    size = -(-n_rows // int(draws))
    return -(-n_rows // size), size


def concrete_select(
    logits: Tensor, rows: Tensor, temperature: float | Tensor, noise: Tensor, straight_through: bool
) -> Tensor:
    """Sample the nodes with the given noise and apply them to the rows.

    Shape: logits (R, K, D); rows (B, D); noise (R, n, K, D) -> (R, B, K).
    """
    n_runs, n_draws, n_nodes, n_features = noise.shape
    samples = torch.softmax((logits.unsqueeze(1) + noise) / temperature, dim=-1)
    if straight_through:
        hard = functional.one_hot(samples.argmax(-1), n_features).to(samples.dtype)
        samples = hard + (samples - samples.detach())  # the second part is exactly zero
    if n_draws == 1:
        return run_linear(rows, samples.squeeze(1))
    n_rows = len(rows)
    _, group = group_rows(n_rows, n_draws)
    padded = functional.pad(rows, (0, 0, 0, n_draws * group - n_rows))
    selected = run_linear(padded.view(n_draws, group, n_features), samples)
    return selected.view(n_runs, n_draws * group, n_nodes)[:, :n_rows]
