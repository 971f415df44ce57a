"""The input of a method: data, task and settings of a fit."""

from __future__ import annotations

from dataclasses import dataclass

from ipcae.constraints import Constraints
from ipcae.decoders import Decoder, Mlp
from ipcae.losses import Loss
from ipcae.models import FixedSelection
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.tasks import Task
from ipcae.training.batches import count_batches, whole_batches
from ipcae.training.callbacks import Callback
from ipcae.training.checkpoint import Checkpoint
from ipcae.training.plan import Plan


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, task and settings of a fit, through all of its phases.

    Parameters
    ----------
    task : Task
    loss : Loss
    rows, validation : Rows
        Scaled rows on the device of the training. With ``plan.drop_last``, the last incomplete
        batch of the validation rows is dropped here.
    runs : Runs
    plan : Plan
    n_selected : int
        Number of features to select, K.
    decoder : Decoder
    constraints : Constraints, optional
        Conditions on the selection.
    unique : bool
        Whether the nodes of a run must select different features.
    fine_tune_epochs : int
        Number of epochs to train the decoder after the selection is fixed.
    callbacks : tuple of callable
        Functions to call with an :class:`EpochReport` after every epoch. One that returns True
        ends the phase.
    checkpoint : Checkpoint, optional
        Where to save the state of every phase, and to resume from.
    held_out : bool
        Whether the validation rows were held out from the same table as the training rows, so that
        :attr:`known_rows` includes them.
    """

    task: Task
    loss: Loss
    rows: Rows
    validation: Rows
    runs: Runs
    plan: Plan = Plan()
    n_selected: int = 1
    decoder: Decoder = Mlp()
    constraints: Constraints = None  # type: ignore[assignment]
    unique: bool = True
    fine_tune_epochs: int = 0
    callbacks: tuple[Callback, ...] = ()
    checkpoint: Checkpoint | None = None
    held_out: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "validation", whole_batches(self.validation, self.plan))
        if self.constraints is None:
            object.__setattr__(self, "constraints", Constraints(self.n_features))

    @property
    def n_features(self) -> int:
        """The number of features, D."""
        return self.rows.inputs.shape[1]

    @property
    def n_to_choose(self) -> int:
        """The number of features to choose in addition to the included ones."""
        return self.n_selected - len(self.constraints.included)

    @property
    def known_rows(self) -> Rows:
        """All rows of the user's table, training rows first, for methods that need no validation.

        Validation rows that the user passed separately are not among them.
        """
        return self.rows.joined(self.validation) if self.held_out else self.rows

    @property
    def n_batches(self) -> int:
        """The number of steps per epoch."""
        return count_batches(len(self.rows), self.plan)

    @property
    def final_model(self) -> FixedSelection:
        """The final model of a fit: a decoder of K fixed features."""
        return FixedSelection(self.decoder, self.n_selected, self.task.n_outputs)
