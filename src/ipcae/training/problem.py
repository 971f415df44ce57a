"""Everything that a fit works on, from its first phase to its last."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """What to learn from, how, and how many features to select.

    Parameters
    ----------
    task : Task
    loss : Loss
    rows, validation : Rows
        Scaled rows on the device of the training. With ``plan.drop_last``, the last partial batch
        of the validation rows is left out here.
    runs : Runs
    plan : Plan
    n_selected : int
        K.
    decoder : Decoder
    excluded : tuple of int
        Features that may not be selected while there are enough others.
    unique : bool
        Whether nodes of a run that chose the same feature are given different ones.
    fine_tune_epochs : int
        Epochs of training of the decoder alone at the end. 0 leaves it as it is.
    callbacks : tuple of callable
        Each is called with an :class:`EpochReport` after every epoch; one that returns True ends
        the phase.
    checkpoint : Checkpoint, optional
        Where to save the state of every phase, and to continue from.
    """

    task: Task
    loss: Loss
    rows: Rows
    validation: Rows
    runs: Runs
    plan: Plan = Plan()
    n_selected: int = 1
    decoder: Decoder = Mlp()
    excluded: tuple[int, ...] = field(default=(), repr=False)
    unique: bool = True
    fine_tune_epochs: int = 0
    callbacks: tuple[Callback, ...] = ()
    checkpoint: Checkpoint | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "validation", whole_batches(self.validation, self.plan))

    @property
    def n_features(self) -> int:
        """The number of features to choose from, D."""
        return self.rows.inputs.shape[1]

    @property
    def n_batches(self) -> int:
        """The number of steps of an epoch."""
        return count_batches(len(self.rows), self.plan)

    @property
    def final_model(self) -> FixedSelection:
        """The model that a fit ends with: a decoder that reads K fixed features."""
        return FixedSelection(self.decoder, self.n_selected, self.task.n_outputs)
