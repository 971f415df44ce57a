"""Decoders for new people: 50 columns of har by ``backward``, people left out of its training rows.

    python benchmarks/people_decoders.py [--folds 0 2] [--trials default mixup]
    python benchmarks/people_decoders.py --show

The people of the training rows are divided into four folds. Columns and a decoder, in plain
PyTorch, are learned from three of them in 12 epochs with a decreasing learning rate. The value is
the accuracy in percent on the people of the fourth. Test rows are not used.
"""

from __future__ import annotations

import csv
import math
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from backward import Sample, sample_of
from rows import new_parser, write
from sklearn.svm import SVC
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ipcae.selectors import Backward
from ipcae.selectors.classical import Examples

K, N_FOLDS, EPOCHS, BATCH, RATE = 50, 4, 12, 128, 1e-3


@dataclass(frozen=True)
class Trial:
    """A decoder and how it is trained; the default is that of classification."""

    hidden: tuple[int, ...] = (512, 512)
    dropout: float = 0.3
    noise: float = 0.2
    standard: bool = False  # each column with deviation 1, instead of one scale for all
    smoothing: float = 0.0
    mixup: float = 0.0  # both parameters of the Beta distribution
    decay: float = 0.0


SVM = "svm"
TRIALS = {
    "default": Trial(),
    "one layer, no noise": Trial(hidden=(512,), noise=0.0),
    "no noise": Trial(noise=0.0),
    "noise 0.4": Trial(noise=0.4),
    "own deviation": Trial(standard=True),
    "label smoothing": Trial(smoothing=0.1),
    "mixup": Trial(mixup=0.4),
    "weight decay": Trial(decay=0.05),
}


def split(sample: Sample, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the other folds and those of this fold."""
    people = np.random.default_rng(16).permutation(np.unique(sample.groups))
    left_out = np.isin(sample.groups, people[fold::N_FOLDS])
    return np.flatnonzero(~left_out), np.flatnonzero(left_out)


def chosen(sample: Sample, train: np.ndarray) -> np.ndarray:
    """Return the columns that are selected on these rows."""
    targets = sample.y[train][:, None].astype(np.float64)
    scores = Backward().scores(Examples(sample.X[train], targets, discrete=True), K, 0)
    return np.argsort(-scores, kind="stable")[:K]


def network(trial: Trial, n_outputs: int) -> nn.Sequential:
    """Return the layers of ``ipcae.Mlp``."""
    layers, width = [], K
    for units in trial.hidden:
        layers += [nn.Linear(width, units), nn.LayerNorm(units), nn.LeakyReLU(0.2)]
        layers += [nn.Dropout(trial.dropout)]
        width = units
    return nn.Sequential(*layers, nn.Linear(width, n_outputs))


def train_decoder(trial: Trial, x: Tensor, y: Tensor) -> nn.Sequential:
    """Train a decoder with Adam and a cosine schedule."""
    torch.manual_seed(0)
    random, model = np.random.default_rng(0), network(trial, int(y.max()) + 1)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=trial.decay)
    n_steps = EPOCHS * math.ceil(len(x) / BATCH)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_steps)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).split(BATCH):
            inputs, target, share = x[rows], y[rows], 1.0
            other = target
            if trial.mixup:
                share, order = random.beta(trial.mixup, trial.mixup), torch.randperm(len(rows))
                inputs, other = share * inputs + (1 - share) * inputs[order], target[order]
            inputs = inputs + (2 * torch.rand_like(inputs) - 1) * (trial.noise * 3**0.5)
            outputs = model(inputs)
            loss = share * cross_entropy(outputs, target, label_smoothing=trial.smoothing)
            if trial.mixup:
                loss = loss + (1 - share) * cross_entropy(outputs, other)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


@torch.no_grad()
def accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Return the accuracy in percent."""
    return 100 * float((model(x).argmax(1) == y).float().mean())


def measure(sample: Sample, name: str, fold: int) -> float:
    """Train on the other folds; return the accuracy on this one."""
    train, left_out = split(sample, fold)
    columns = chosen(sample, train)
    known, new = sample.X[train], sample.X[left_out][:, columns]
    y, y_new = sample.y[train], sample.y[left_out]
    if name == SVM:
        return 100 * SVC().fit(known[:, columns], y).score(new, y_new)
    trial, deviation = TRIALS[name], known.std(0)
    scale = deviation[columns] if trial.standard else np.sqrt(np.square(deviation).mean())
    center = known.mean(0)[columns]
    x, x_new = (
        torch.from_numpy((part - center) / scale).float() for part in (known[:, columns], new)
    )
    model = train_decoder(trial, x, torch.from_numpy(y))
    return accuracy(model, x_new, torch.from_numpy(y_new))


def show(path: Path) -> None:
    """Print the accuracy of every trial on every fold."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["trial"]][row["fold"]] = row["value"]
    for trial, values in found.items():
        mean = np.mean([float(value) for value in values.values()])
        print(f"| {trial} | {' | '.join(values.values())} | {mean:.1f} |")


def main() -> None:
    """Measure what was asked for and append the rows, or show them."""
    parser = new_parser(__doc__, "people_decoders.csv")
    parser.add_argument("--folds", nargs="+", type=int, default=[*range(N_FOLDS)])
    parser.add_argument("--trials", nargs="+", default=[SVM, *TRIALS], choices=[SVM, *TRIALS])
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        return show(Path(options.out))
    sample = sample_of("har")
    for fold in options.folds:
        for name in options.trials:
            start = time.perf_counter()
            value = f"{measure(sample, name, fold):.2f}"
            seconds = f"{time.perf_counter() - start:.0f}"
            row = {"trial": name, "fold": fold, "value": value, "seconds": seconds}
            write(Path(options.out), [row])
            print(fold, name, value, seconds, flush=True)
    return None


if __name__ == "__main__":
    main()
