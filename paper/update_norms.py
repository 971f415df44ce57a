"""The terms of the IP update during training.

With g the gradient of the loss with respect to a node's logits log α, one step of gradient descent
moves the logits by −η T g in IP-CAE and by −η g in CAE, where (equation 9 of the paper)

    T = W Wᵀ + ψᵀ(ψ − η Wᵀ g) I.

A callback of the selector measures them after every epoch, from the model and the parameters in the
report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from ipcae import Concrete, Direct, Full
from ipcae.nn import ConcreteCategorical
from paper.cell import Cell
from paper.protocol import DATASETS
from paper.records import Curve
from paper.splits import Rows
from paper.train import fit_selector, summarize

N_BATCHES = 4


def transformed(
    weight: Tensor, embedding: Tensor, gradient: Tensor, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Return T g and ψᵀ(ψ − η Wᵀ g) of every node.

    Shape: weight (R, D, P); embedding (R, K, P); gradient (R, K, D) -> (R, K, D) and (R, K).
    """
    pulled = gradient @ weight
    dot = (embedding * (embedding - learning_rate * pulled)).sum(-1)
    return pulled @ weight.mT + dot.unsqueeze(-1) * gradient, dot


class UpdateNorms:
    """A callback that records the norms of the update on some batches.

    Parameters
    ----------
    batches : list of (Tensor, Tensor)
        Rows (B, D) and their classes (B,).
    method : Concrete
        The method that is fitted.
    learning_rate : float
        η.
    """

    def __init__(
        self, batches: list[tuple[Tensor, Tensor]], method: Concrete, learning_rate: float
    ):
        self.batches = batches
        self.learning_rate = learning_rate
        self.sample = ConcreteCategorical(method.temperature)
        self.values: dict[str, list[list[float]]] = {}

    def __call__(self, report: Any) -> None:
        """Record the mean over the nodes and batches for every run."""
        self.sample.set_progress(report.epoch / report.max_epochs)
        with torch.random.fork_rng():
            torch.manual_seed(report.epoch)
            measured = [self.measure(report, *batch) for batch in self.batches]
        for name in measured[0]:
            mean = torch.stack([figures[name] for figures in measured]).mean(0)
            self.values.setdefault(name, []).append(mean.tolist())

    def measure(self, report: Any, rows: Tensor, classes: Tensor) -> dict[str, Tensor]:
        """Return the norms on one batch, each of shape (R,)."""
        params, gradient = report.params, self._gradient(report, rows, classes)
        figures = {"gradient_norm": gradient.norm(dim=-1).mean(-1)}
        if "selector.weight" not in params:
            return figures
        weight, embedding = params["selector.weight"], params["selector.embedding"]
        moved, dot = transformed(weight, embedding, gradient, self.learning_rate)
        return figures | {
            "transformed_norm": moved.norm(dim=-1).mean(-1),
            "embedding_product": dot.mean(-1),
            "weight_norm": (weight @ weight.mT).flatten(1).norm(dim=-1),
        }

    def _gradient(self, report: Any, rows: Tensor, classes: Tensor) -> Tensor:
        """Return the gradient with respect to the logits. Shape: (R, K, D)."""
        prefix = "decoder."
        decoder = {
            name.removeprefix(prefix): value
            for name, value in report.params.items()
            if name.startswith(prefix)
        }
        logits = report.model.logits(report.params).detach()
        rows, classes = rows.to(logits.device), classes.to(logits.device)
        with torch.enable_grad():
            logits.requires_grad_()
            samples = self.sample(logits.expand(len(rows), *logits.shape))
            selected = torch.einsum("brkd,bd->rbk", samples, rows)
            outputs = report.model.decoder.apply(decoder, selected)
            # The sum over the runs of their mean losses.
            loss = len(outputs) * cross_entropy(outputs.flatten(0, 1), classes.repeat(len(outputs)))
            return torch.autograd.grad(loss, logits)[0]


def measure_updates(
    cell: Cell, rows: Rows, device: str
) -> tuple[list[dict[str, float]], list[Curve]]:
    """Train a classifier with the paper's protocol and measure the update after every epoch."""
    # NOTE[DIFF]: the paper shows every step; here the update is measured after every epoch. As in
    # the paper's derivation there is no bias, and the step is that of gradient descent, not Adam.
    method = Concrete(Full("features", bias=False) if cell.method == "ip-cae" else Direct())
    arguments = cell.arguments() | {"method": method, "n_runs": cell.n_runs, "device": device}
    size = DATASETS[cell.dataset].batch_size
    X, y = (torch.from_numpy(array).split(size) for array in (rows.X_train, rows.y_train))
    batches = list(zip(X, y, strict=True))[:N_BATCHES]
    norms = UpdateNorms(batches, method, arguments["learning_rate"])
    fit_selector(cell.task, cell.k, rows, callbacks=norms, **arguments)
    curves, last = [], []
    for name, values in norms.values.items():
        matrix = np.array(values).T
        curves += summarize(cell.key(), name, matrix)
        last.append((name, matrix[:, -1].tolist()))
    return [{name: values[run] for name, values in last} for run in range(cell.n_runs)], curves
