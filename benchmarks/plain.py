"""A plain implementation of IP-CAE: one run, eager mode, a B x K x D sample per step."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

K = 50


class PlainIpCae(nn.Module):
    """A selector with its decoder."""

    def __init__(self, n_features: int, n_outputs: int):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(K, n_features))
        self.to_logits = nn.Linear(n_features, n_features)
        self.decoder = nn.Sequential(
            nn.Linear(K, 200), nn.LayerNorm(200), nn.LeakyReLU(0.2), nn.Linear(200, n_outputs)
        )

    def forward(self, rows: Tensor, temperature: float) -> Tensor:
        """Decode a sample of features for every row. Shape: (B, D) -> (B, outputs)."""
        logits = self.to_logits(self.embedding)
        each = logits.expand(len(rows), *logits.shape)
        samples = nn.functional.gumbel_softmax(each, tau=temperature)
        return self.decoder(torch.einsum("bkd,bd->bk", samples, rows))

    def selected(self) -> Tensor:
        """Return the selected feature of every node. Shape: (K,)."""
        return self.to_logits(self.embedding).argmax(1)


class PlainTraining:
    """Training of a classifier that keeps the best state on the validation rows."""

    def __init__(
        self,
        rows: TensorDataset,
        validation: TensorDataset,
        batch: int,
        device: str,
        workers: int = 0,
    ):
        x, y = rows.tensors
        self.device = device
        self.loader = DataLoader(
            rows, batch_size=batch, shuffle=True, drop_last=True, num_workers=workers
        )
        self.validation = DataLoader(validation, batch_size=batch, num_workers=workers)
        self.model = PlainIpCae(x.shape[1], int(y.max()) + 1).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.loss = nn.CrossEntropyLoss()
        self.best = float("inf"), self.model.state_dict()

    def epoch(self, temperature: float = 1.0) -> None:
        """Train for one epoch."""
        self.model.train()
        for rows, classes in self.loader:
            self.optimizer.zero_grad()
            outputs = self.model(rows.to(self.device), temperature)
            self.loss(outputs, classes.to(self.device)).backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self) -> tuple[float, float]:
        """Keep the best state; return the validation loss and the percentage of unique features."""
        self.model.eval()
        selected = self.model.selected()
        total = 0.0
        for rows, classes in self.validation:
            outputs = self.model.decoder(rows.to(self.device)[:, selected])
            total += self.loss(outputs, classes.to(self.device)).item() * len(rows)
        mean = total / len(self.validation.dataset)
        if mean < self.best[0]:
            self.best = mean, deepcopy(self.model.state_dict())
        return mean, 100 * len(selected.unique()) / K
