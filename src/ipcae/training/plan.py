"""The training settings that all runs share."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ipcae.schedules import Constant, Schedule

_STEPS_PER_EPOCH = 50
MANY_ROWS = 20_000
"""From this number of rows on, fewer epochs are enough (benchmarks/many_rows.py)."""

TALL_ROWS, TALL_COLUMNS = 5_000, 200
"""A table of so many rows or more, and of this many columns or fewer, is tall."""

ROWS_PER_EPOCH = 50_000
"""Of a larger table, an epoch has so many rows (benchmarks/rows_per_epoch.py)."""

_MOST_EPOCHS, _TALL_EPOCHS, _FEWEST_EPOCHS = 200, 60, 40
_ROWS_OF_ENOUGH_STEPS = 10_000


def auto_batch_size(n_rows: int) -> int:
    """Return a power of two from 16 to 128 that gives about 50 batches per epoch.

    >>> [auto_batch_size(n) for n in (648, 4990, 60000)]
    [16, 128, 128]
    """
    power = round(math.log2(max(n_rows / _STEPS_PER_EPOCH, 1)))
    return min(max(2**power, 16), 128)


def comparison_batch_size(n_rows: int) -> int:
    """Return a larger batch size for decoders that are only compared with each other.

    An epoch still has about eight batches or more.

    >>> [comparison_batch_size(n) for n in (100, 320, 4990, 60000)]
    [16, 40, 128, 128]
    """
    return max(auto_batch_size(n_rows), min(64, n_rows // 8))


def is_tall(n_rows: int, n_columns: int) -> bool:
    """Return whether a table has 5,000 rows or more and up to 200 columns.

    >>> is_tall(10_000, 60), is_tall(10_000, 784), is_tall(1000, 60)
    (True, False, False)
    """
    return n_rows >= TALL_ROWS and n_columns <= TALL_COLUMNS


def auto_epochs(n_rows: int, *, fewer: bool = True, tall: bool = False) -> int:
    """Return the number of epochs for a table, which is 200 for fewer than 20,000 rows.

    With ``fewer``, larger tables get as many steps as one of 10,000 rows, in at least 40 epochs.
    With ``tall``, a table gets at most 60 epochs (:func:`is_tall`).

    >>> [auto_epochs(n) for n in (150, 10_000, 20_000, 45_000, 1_000_000)]
    [200, 200, 100, 44, 40]
    >>> [auto_epochs(n, tall=True) for n in (10_000, 20_000, 45_000)]
    [60, 60, 44]
    """
    most = _TALL_EPOCHS if tall else _MOST_EPOCHS
    if not fewer or n_rows < MANY_ROWS:
        return most
    enough = max(_MOST_EPOCHS * _ROWS_OF_ENOUGH_STEPS // n_rows, _FEWEST_EPOCHS)
    return min(enough, most)


@dataclass(frozen=True)
class Plan:
    """The training settings that all runs share.

    Parameters
    ----------
    max_epochs : int
    batch_size : int
    shuffle : bool
        Whether to shuffle the rows in every epoch. The order is the same for all runs.
    drop_last : bool
        Whether to drop the last incomplete batch of the training and of the validation rows.
    schedule : Schedule
        Factor on the learning rates as a function of progress.
    weight_decay : float
        L2 penalty, as in ``torch.optim.Adam``.
    patience : int, optional
        Number of epochs without a lower validation loss after which a run stops.
    settle : bool
        Whether a run must also have settled its selection before it stops.
    order_seed : int
        Seed of the order of the rows.
    keep_last : bool
        Whether to return the last state of every run instead of the one with the lowest validation
        loss.
    rows_per_epoch : int, optional
        The most rows of an epoch, which are drawn at random for every epoch; None for all rows.
    """

    max_epochs: int = 200
    batch_size: int = 128
    shuffle: bool = True
    drop_last: bool = False
    schedule: Schedule = Constant()
    weight_decay: float = 0.0
    patience: int | None = None
    settle: bool = False
    order_seed: int = 0
    keep_last: bool = False
    rows_per_epoch: int | None = None
