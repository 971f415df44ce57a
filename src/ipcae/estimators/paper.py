"""The paper's experimental protocol, as arguments of the selectors."""

from __future__ import annotations

from typing import Any

from ipcae.decoders import Mlp


def paper_settings(batch_size: int) -> dict[str, Any]:
    """Return the arguments that repeat the paper's training and evaluation exactly.

    200 epochs, a draw of noise for every row, rows never shuffled, partial batches dropped, one
    hidden layer of 200, data as given, duplicates allowed, no fine-tuning. The batch size belongs
    to the data set: see ``ipcae.data.CATALOGUE``.

    >>> from ipcae import ClassificationSelector
    >>> selector = ClassificationSelector(10, method="cae", n_runs=10, **paper_settings(16))
    >>> selector.unique
    False
    """
    return {
        "max_epochs": 200,
        "batch_size": batch_size,
        "learning_rate": 1e-3,
        "weight_decay": 0.0,
        "noise_draws": "row",
        "decoder": Mlp(hidden=(200,), dropout=0.0, slope=0.2, normalize=True),
        "scale": None,
        "fine_tune": False,
        "unique": False,
        "early_stopping": False,
        "shuffle": False,
        "drop_last": True,
    }
