"""The parts of the IP update over training: what W and ψ make of the gradient.

With g the gradient of the loss with respect to a node's logits log α, one step of gradient descent
moves the logits by −η T g in IP-CAE and by −η g in CAE, where (equation 9 of the paper)

    T = W Wᵀ + ψᵀ(ψ − η Wᵀ g) I.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ipcae import Concrete, Direct, Full, Mlp
from ipcae.losses import CrossEntropy, mean_loss
from ipcae.models import part
from ipcae.ops import concrete_select
from ipcae.rows import Rows as Table
from ipcae.runs import Runs, Stream
from ipcae.selectors import SelectThenDecode, Shape
from ipcae.tasks import Classification
from ipcae.training import EpochReport, Plan, Problem, train
from paper.cell import Cell
from paper.protocol import DATASETS
from paper.records import Curve
from paper.splits import Rows
from paper.train import summarize

LEARNING_RATE = 1e-3
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
    """Called after every epoch: measures the updates that some batches would ask for."""

    def __init__(self, batches: list[Table], seeds: list[int]):
        self.batches = batches
        self.seeds = seeds
        self.values: dict[str, list[list[float]]] = {}

    def __call__(self, report: EpochReport) -> None:
        """Measure every run and keep the means over its nodes."""
        measured = [self.measure(report, number) for number in range(len(self.batches))]
        for name in measured[0]:
            mean = torch.stack([figures[name] for figures in measured]).mean(0)
            self.values.setdefault(name, []).append(mean.tolist())

    def measure(self, report: EpochReport, number: int) -> dict[str, Tensor]:
        """Return the norms for one of the batches, each of shape (R,)."""
        params, gradient = report.params, self._gradient(report, number)
        figures = {"gradient_norm": gradient.norm(dim=-1).mean(-1)}
        if "selector.weight" not in params:
            return figures
        weight, embedding = params["selector.weight"], params["selector.embedding"]
        moved, dot = transformed(weight, embedding, gradient, LEARNING_RATE)
        return figures | {
            "transformed_norm": moved.norm(dim=-1).mean(-1),
            "embedding_product": dot.mean(-1),
            "weight_norm": (weight @ weight.mT).flatten(1).norm(dim=-1),
        }

    def _gradient(self, report: EpochReport, number: int) -> Tensor:
        """Return the gradient with respect to the logits. Shape: (R, K, D)."""
        model, params, batch = report.model, report.params, self.batches[number]
        assert isinstance(model, SelectThenDecode)
        assert isinstance(model.selector, Concrete)
        temperature = model.selector.temperature(report.epoch / report.max_epochs)
        step = report.epoch * len(self.batches) + number
        stream = Stream(self.seeds, step, batch.inputs.device)
        with torch.enable_grad():
            logits = model.logits(params).detach().requires_grad_()
            selected = concrete_select(logits, batch.inputs, temperature, stream=stream)
            outputs = model.decoder.apply(part(params, "decoder"), selected)
            loss = mean_loss(CrossEntropy().per_row(outputs, batch.targets))
            return torch.autograd.grad(loss.sum(), logits)[0]


def measure_updates(
    cell: Cell, rows: Rows, device: str
) -> tuple[list[dict[str, float]], list[Curve]]:
    """Train by the paper's protocol, classification, and measure the update at every epoch."""
    # NOTE[DIFF]: the paper shows every step; here the update is measured after every epoch. As in
    # the paper's derivation there is no bias, and the step is gradient descent's, not Adam's.
    parametrization = Full("features", bias=False) if cell.method == "ip-cae" else Direct()
    selector = Concrete(parametrization, noise_draws=cell.noise_draws)
    dataset = DATASETS[cell.dataset]
    task = Classification(np.arange(int(rows.y_train.max()) + 1))
    model = selector.model(Shape(Mlp(), rows.X_train.shape[1], cell.k, task.n_outputs))
    plan = Plan(cell.epochs, dataset.batch_size, shuffle=False, drop_last=True)
    place = torch.device(_device(device))
    table, validation = (
        Table(torch.from_numpy(X), torch.from_numpy(y)).to(place)
        for X, y in ((rows.X_train, rows.y_train), (rows.X_val, rows.y_val))
    )
    seeds = list(range(cell.n_runs))
    starts = range(0, N_BATCHES * dataset.batch_size, dataset.batch_size)
    batches = [table.take(slice(start, start + dataset.batch_size)) for start in starts]
    norms = UpdateNorms([batch for batch in batches if len(batch)], seeds)
    runs = Runs.of(seeds, LEARNING_RATE)
    train(model, Problem(task, CrossEntropy(), table, validation, runs, plan, callbacks=(norms,)))
    curves, last = [], []
    for name, values in norms.values.items():
        matrix = np.array(values).T
        curves += summarize(cell.key(), name, matrix)
        last.append((name, matrix[:, -1].tolist()))
    return [{name: values[run] for name, values in last} for run in range(cell.n_runs)], curves


def _device(device: str) -> str:
    if device != "auto":
        return device
    return "cuda" if torch.cuda.is_available() else "cpu"
