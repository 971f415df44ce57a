"""Damaged checkpoints: rejected, never resumed to a different result."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ipcae import ClassificationSelector
from ipcae.training import Checkpoint
from tests.fuzz.damage import damaged
from tests.fuzz.dice import Dice
from tests.fuzz.outcome import check

_random = np.random.default_rng(0)
X = _random.normal(size=(40, 6))
Y = (X[:, 0] > 0).astype(int)


def fit(folder: Path | None, n_epochs: int = 3, every: int = 1, **options: Any) -> Any:
    """Fit a small selector with checkpoints, resuming what is there."""
    checkpoint = None if folder is None else Checkpoint(folder, every, resume=True)
    selector = ClassificationSelector(
        2,
        n_runs=2,
        max_epochs=n_epochs,
        fine_tune=2,
        decoder=(4,),
        batch_size=16,
        checkpoint=checkpoint,
        random_state=0,
        **options,
    )
    return selector.fit(X, Y)


def same(one: Any, other: Any) -> bool:
    """Whether two selectors hold the same parameters and losses, bit for bit."""
    return np.array_equal(one.validation_loss_, other.validation_loss_) and all(
        torch.equal(tensor, other.params_[name]) for name, tensor in one.params_.items()
    )


@lru_cache(maxsize=1)
def _finished() -> tuple[Any, dict[str, bytes]]:
    """Return a fit and the files that it left."""
    with tempfile.TemporaryDirectory() as folder:
        selector = fit(Path(folder))
        files = {p.name: p.read_bytes() for p in Path(folder).glob("*.checkpoint")}
    return selector, files


def damaged_checkpoint(seed: int) -> bool:
    """Resume from a folder in which a file is damaged, missing or of another phase."""
    dice = Dice("checkpoints", seed)
    selector, files = _finished()
    files = dict(files)
    name = dice.choice(sorted(files))
    way = dice.random()
    if way < 0.85:
        files[name] = damaged(dice, files[name])
    elif way < 0.95:
        files[name] = files[dice.choice(sorted(files))]
    else:
        del files[name]
    with tempfile.TemporaryDirectory() as folder:
        for each, content in files.items():
            Path(folder, each).write_bytes(content)
        resumed = fit(Path(folder))
    check(way >= 0.85, "damage is noticed")
    check(same(resumed, selector), "a resumed fit equals an undisturbed one")
    return True
