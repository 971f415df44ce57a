"""scikit-learn's ``SVC()`` on a GPU: all pairs of classes at once.

``SVC()`` takes minutes on 60,000 rows. This is the same problem for every pair of classes, solved
by the same steps (Fan, Chen and Lin, 2005) to the same tolerance, so that the predictions agree
except for rows that lie on a boundary.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

STEPS, TINY = 100, 1e-12


@dataclass
class PairwiseSVC:
    """A support vector classifier with a radial kernel, one against one.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [0.8], [1.0]])
    >>> PairwiseSVC("cpu").fit(X, np.array([0, 0, 1, 1])).predict(np.array([[0.1], [0.9]]))
    array([0, 1])
    """

    device: str = "cuda"
    penalty: float = 1.0
    tolerance: float = 1e-3

    def fit(self, X: NDArray, y: NDArray) -> PairwiseSVC:
        """Solve the problems of all pairs of classes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.rows_ = torch.as_tensor(X, dtype=torch.float64, device=self.device)
        self.gamma_ = 1 / (X.shape[1] * X.var())
        pairs = _Pairs.of(codes, self.penalty, self.device)
        pairs.solve(_kernel(self.rows_, self.rows_, self.gamma_).float(), self.tolerance)
        self.weights_, self.bias_ = pairs.weights(len(X)), pairs.bias()
        return self

    def predict(self, X: NDArray) -> NDArray:
        """Return the class that wins most pairs, the first of several."""
        rows = torch.as_tensor(X, dtype=torch.float64, device=self.device)
        decided = [
            _kernel(part, self.rows_, self.gamma_) @ self.weights_ + self.bias_
            for part in rows.split(1000)
        ]
        won = (torch.cat(decided) > 0).cpu().numpy()
        votes = np.zeros((len(X), len(self.classes_)), int)
        for pair, (first, second) in enumerate(combinations(range(len(self.classes_)), 2)):
            votes[:, first] += won[:, pair]
            votes[:, second] += ~won[:, pair]
        return self.classes_[votes.argmax(1)]

    def score(self, X: NDArray, y: NDArray) -> float:
        """Return the accuracy."""
        return float(np.mean(self.predict(X) == y))


def _kernel(rows: Tensor, others: Tensor, gamma: float) -> Tensor:
    """Return exp(−γ ‖x − x'‖²). Shape: (N, K), (M, K) -> (N, M)."""
    parts = [torch.cdist(part, others).square().mul(-gamma).exp() for part in rows.split(2000)]
    return torch.cat([part.to(torch.float32 if len(parts) > 1 else part.dtype) for part in parts])


@dataclass
class _Pairs:
    """The dual problems of P pairs of classes, padded to the M rows of the largest.

    β = s α for signs s, with 0 ≤ α ≤ C and Σ β = 0; f = s − K β is minus the signed gradient.

    Shape: rows, signs, low, high, beta, f (P, M).
    """

    rows: Tensor
    signs: Tensor
    low: Tensor
    high: Tensor
    beta: Tensor
    f: Tensor

    @classmethod
    def of(cls, codes: NDArray, penalty: float, device: str) -> _Pairs:
        members = [np.flatnonzero(codes == label) for label in range(codes.max() + 1)]
        pairs = list(combinations(members, 2))
        shape = len(pairs), max(len(a) + len(b) for a, b in pairs)
        rows, signs = np.zeros(shape, int), np.zeros(shape)
        for pair, (a, b) in enumerate(pairs):
            rows[pair, : len(a) + len(b)] = np.concatenate([a, b])
            signs[pair, : len(a)], signs[pair, len(a) : len(a) + len(b)] = 1, -1
        on = torch.as_tensor(signs, device=device)
        return cls(
            torch.as_tensor(rows, device=device),
            on,
            on.clamp(max=0) * penalty,
            on.clamp(min=0) * penalty,
            torch.zeros_like(on),
            on.clone(),
        )

    def solve(self, kernel: Tensor, tolerance: float, most: int = 10**6) -> None:
        """Take steps until the largest violation of every pair is below the tolerance."""
        violation = torch.full_like(self.f[:, 0], torch.inf)

        def steps() -> None:
            for _ in range(STEPS):
                violation.copy_(self._step(kernel, tolerance))

        replay = steps
        if kernel.is_cuda:
            steps()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                steps()
            replay = graph.replay
        for _ in range(most // STEPS):
            replay()
            if violation.max() < tolerance:
                return
        raise RuntimeError("The support vector machine has not converged.")

    def _step(self, kernel: Tensor, tolerance: float) -> Tensor:
        """Move two coefficients of every pair; return the violations before. Shape: -> (P,)."""
        up = torch.where(self.beta < self.high, self.f, -torch.inf)
        best, i = up.max(1, keepdim=True)
        down = torch.where(self.beta > self.low, self.f, torch.inf)
        violation = best - down.amin(1, keepdim=True)
        own = kernel[self.rows.gather(1, i), self.rows]
        gain = (best - down).clamp(min=0)
        curvature = (2 - 2 * own.double()).clamp(min=TINY)
        j = (gain.square() / curvature).argmax(1, keepdim=True)
        size = gain.gather(1, j) / curvature.gather(1, j)
        size = torch.minimum(size, self.high.gather(1, i) - self.beta.gather(1, i))
        size = torch.minimum(size, self.beta.gather(1, j) - self.low.gather(1, j))
        size = torch.where(violation < tolerance, 0, size)
        self.beta.scatter_add_(1, i, size).scatter_add_(1, j, -size)
        other = kernel[self.rows.gather(1, j), self.rows]
        self.f.sub_(size * (own - other))
        return violation[:, 0]

    def weights(self, n_rows: int) -> Tensor:
        """Return the coefficients of all rows. Shape: -> (N, P)."""
        weights = self.beta.new_zeros(n_rows, len(self.beta))
        return weights.scatter_add_(0, self.rows.T, self.beta.T)

    def bias(self) -> Tensor:
        """Return the mean of f where 0 < α < C, or the middle of its bounds. Shape: -> (P,)."""
        free = (self.beta > self.low) & (self.beta < self.high)
        upper = torch.where(self.beta < self.high, self.f, -torch.inf).amax(1)
        lower = torch.where(self.beta > self.low, self.f, torch.inf).amin(1)
        mean = (self.f * free).sum(1) / free.sum(1).clamp(min=1)
        return torch.where(free.any(1), mean, (upper + lower) / 2)
