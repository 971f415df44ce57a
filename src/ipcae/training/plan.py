"""How to train: everything that is the same for all runs."""

from __future__ import annotations

from dataclasses import dataclass

from ipcae.schedules import Constant, Schedule


@dataclass(frozen=True)
class Plan:
    """The settings of a training.

    Parameters
    ----------
    max_epochs : int
    batch_size : int
    shuffle : bool
        Draw a new order of the rows every epoch. All runs see the same order.
    drop_last : bool
        Leave out the last partial batch, of the training and of the validation rows.
    schedule : Schedule
        Factor on the learning rates as a function of progress.
    weight_decay : float
        L2 penalty, as in ``torch.optim.Adam``.
    patience : int, optional
        Stop a run after so many epochs without a lower validation loss.
    order_seed : int
        Seed of the order of the rows.
    keep_last : bool
        Return the last state of every run, not the one of the lowest validation loss.
    """

    max_epochs: int = 200
    batch_size: int = 128
    shuffle: bool = True
    drop_last: bool = False
    schedule: Schedule = Constant()
    weight_decay: float = 0.0
    patience: int | None = None
    order_seed: int = 0
    keep_last: bool = False
