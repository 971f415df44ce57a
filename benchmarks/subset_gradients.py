"""Compare estimators of the gradient through draws of K of D features with the exact gradient.

    python benchmarks/subset_gradients.py [--problems 20] [--out benchmarks/subset_gradients.csv]

A problem is θ of D = 10 features (normal with standard deviation 1), K = 3, and a function of a
mask: the mean squared error of a network of 20 tanh units with random weights, on 32 random rows
multiplied by the mask. With 120 subsets, the expectation over a distribution of subsets, and its
gradient, are exact sums; probabilities of subsets are one-dimensional integrals.

Each row is an estimator: the cosine of its mean and the exact gradient of the distribution that it
draws from, the norm of its bias (less what a mean of 4,000 draws varies), and the standard
deviation of a single draw, both relative to the norm of the exact gradient; medians over the
problems.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write
from torch import Tensor

from ipcae.ops.subset_select import inclusion_probabilities

D, K, N_ROWS, N_HIDDEN = 10, 3, 32, 20
N_DRAWS = 4_000  # of estimators whose expectation is not a sum over subsets
SUBSETS = torch.tensor(list(combinations(range(D), K)))
MASKS = torch.zeros(len(SUBSETS), D, dtype=torch.float64).scatter(1, SUBSETS, 1.0)
COUNT = torch.tensor([float(K)], dtype=torch.float64)


class Problem:
    """A random θ and a random function of a mask."""

    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)
        self.theta = self.normal(D)
        self.rows, self.targets = self.normal(N_ROWS, D), self.normal(N_ROWS)
        self.first, self.second = self.normal(D, N_HIDDEN), self.normal(N_HIDDEN) / N_HIDDEN**0.5
        self.values = self(MASKS)
        self.slopes = self.slopes_at(MASKS)

    def normal(self, *shape: int) -> Tensor:
        """Draw standard normal numbers."""
        return torch.randn(*shape, generator=self.generator, dtype=torch.float64)

    def uniform(self, *shape: int) -> Tensor:
        """Draw numbers uniform in (0, 1)."""
        return torch.rand(*shape, generator=self.generator, dtype=torch.float64).clamp(1e-12)

    def __call__(self, masks: Tensor) -> Tensor:
        """Return the loss of every mask. Shape: (n, D) -> (n,)."""
        hidden = torch.tanh((masks.unsqueeze(1) * self.rows) @ self.first)
        return (hidden @ self.second - self.targets).square().mean(-1)

    def slopes_at(self, masks: Tensor) -> Tensor:
        """Return the gradients of the loss. Shape: (n, D) -> (n, D)."""
        masks = masks.clone().requires_grad_()
        return torch.autograd.grad(self(masks).sum(), masks)[0]


def conditional_poisson(theta: Tensor) -> Tensor:
    """Return P(S) ∝ exp Σ θ, of all subsets."""
    return torch.softmax(MASKS @ theta, 0)


def by_noise(theta: Tensor, distribution: str) -> Tensor:
    """Return P(S) that the K largest of θ + noise are S, integrated over the limit between them."""
    t = torch.linspace(-40, 60, 8001, dtype=torch.float64)[:, None] - theta
    if distribution == "gumbel":
        below = torch.exp(-torch.exp(-t))
        above = -torch.expm1(-torch.exp(-t))
    else:
        below, above = torch.sigmoid(t), torch.sigmoid(-t)
    outside = 1 - MASKS
    # d/dt of the probability that all outside of S are below t
    log_below = torch.log(below.clamp_min(1e-300)) @ outside.T  # (t, subsets)
    p_outside = torch.exp(log_below)
    steps = p_outside.diff(dim=0)
    inside = torch.exp(torch.log(above.clamp_min(1e-300)) @ MASKS.T)
    return (steps * (inside[1:] + inside[:-1]) / 2).sum(0)


def exact_gradient(problem: Problem, probabilities) -> Tensor:
    """Return the gradient of Σ P(S) f(S)."""
    theta = problem.theta.clone().requires_grad_()
    return torch.autograd.grad((probabilities(theta) * problem.values).sum(), theta)[0]


def jacobian_of_marginals(theta: Tensor) -> Tensor:
    """Return that of the exact inclusion probabilities of conditional Poisson sampling: Cov(S)."""
    p = conditional_poisson(theta)
    marginals = p @ MASKS
    return (MASKS * p[:, None]).T @ MASKS - marginals[:, None] * marginals


def hajek_jacobian(theta: Tensor) -> Tensor:
    """Return the Jacobian of Hájek's probabilities."""
    return torch.autograd.functional.jacobian(
        lambda own: inclusion_probabilities(own[None], COUNT)[0], theta
    )


def straight_through(problem: Problem, probabilities, jacobian) -> tuple[Tensor, Tensor, Tensor]:
    """Return exact gradient, mean and variance of hard draws with the gradient of marginals."""
    p = probabilities(problem.theta)
    single = problem.slopes @ jacobian(problem.theta)  # the estimate for every subset
    mean = p @ single
    return exact_gradient(problem, probabilities), mean, p @ (single - mean).square()


def relaxed(problem: Problem, temperature: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return the same of relaxed top-K: K successive softmaxes of θ + Gumbel noise."""
    noise = -torch.log(-torch.log(problem.uniform(N_DRAWS, D)))
    theta = problem.theta.repeat(N_DRAWS, 1).requires_grad_()
    scores, mask = theta + noise, torch.zeros(N_DRAWS, D, dtype=torch.float64)
    share = torch.zeros_like(mask)
    for _ in range(K):
        scores = scores + torch.log((1 - share).clamp_min(1e-20))
        share = torch.softmax(scores / temperature, -1)
        mask = mask + share
    single = torch.autograd.grad(problem(mask).sum(), theta)[0]
    exact = exact_gradient(problem, lambda own: by_noise(own, "gumbel"))
    return exact, single.mean(0), single.var(0)


def implicit(problem: Problem, strength: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return the same of I-MLE: the difference of two hard draws, the second moved by −λ ∂f."""
    noise = -torch.log(-torch.log(problem.uniform(N_DRAWS, D)))

    def largest(scores: Tensor) -> Tensor:
        return torch.zeros_like(scores).scatter(1, scores.topk(K).indices, 1.0)

    scores = problem.theta + noise
    mask = largest(scores)
    single = (mask - largest(scores - strength * problem.slopes_at(mask))) / strength
    exact = exact_gradient(problem, lambda own: by_noise(own, "gumbel"))
    return exact, single.mean(0), single.var(0)


ESTIMATORS = {
    "subset, logistic noise": lambda problem: straight_through(
        problem, lambda own: by_noise(own, "logistic"), hajek_jacobian
    ),
    "subset, Gumbel noise": lambda problem: straight_through(
        problem, lambda own: by_noise(own, "gumbel"), hajek_jacobian
    ),
    "SIMPLE": lambda problem: straight_through(problem, conditional_poisson, jacobian_of_marginals),
    "relaxed top-K, T = 1": lambda problem: relaxed(problem, 1.0),
    "relaxed top-K, T = 0.1": lambda problem: relaxed(problem, 0.1),
    "I-MLE, λ = 0.3": lambda problem: implicit(problem, 0.3),
    "I-MLE, λ = 3": lambda problem: implicit(problem, 3.0),
    "I-MLE, λ = 30": lambda problem: implicit(problem, 30.0),
}


def main() -> None:
    """Compare all estimators on all problems."""
    parser = new_parser(__doc__, "subset_gradients.csv")
    parser.add_argument("--problems", type=int, default=20)
    options = parse(parser, ["tests/ops/test_subset_select.py"])
    torch.set_num_threads(1)
    problems = [Problem(seed) for seed in range(options.problems)]
    for name, estimator in ESTIMATORS.items():
        found = []
        for problem in problems:
            exact, mean, variance = estimator(problem)
            size, by_chance = exact.norm(), 0.0
            if name.startswith(("relaxed", "I-MLE")):  # what the mean of the draws varies
                by_chance = variance.sum() / N_DRAWS
            bias = ((mean - exact).square().sum() - by_chance).clamp_min(0).sqrt()
            cosine = torch.dot(exact, mean) / size / mean.norm()
            found.append([cosine, bias / size, variance.sum().sqrt() / size])
        median = np.median(np.array(found), axis=0)
        columns = dict(zip(("cosine", "bias", "deviation"), median, strict=True))
        row = {"estimator": name, **{key: f"{value:.3f}" for key, value in columns.items()}}
        write(Path(options.out), [row | {"problems": options.problems}])
        print(*row.values(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
