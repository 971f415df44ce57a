"""The input of a method: data, task and settings of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.decoders import Decoder, Mlp
from ipcae.distributed import Processes
from ipcae.losses import Loss
from ipcae.models import FixedSelection
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.tasks import Task
from ipcae.training.batches import count_batches, whole_batches
from ipcae.training.plan import Plan
from ipcae.training.progress.callbacks import Callback
from ipcae.training.states.checkpoint import Checkpoint


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
        Runs may have their own weights, which determine what they learn from.
    runs : Runs
    plan : Plan
    n_selected : int
        Number of features to select, K: the largest, if runs select different numbers.
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
    refit : bool or "best"
        Whether to train the decoders, or only that of the best run, on :attr:`known_rows` in the
        end, if they are fine-tuned.
    processes : Processes, optional
        The processes among which the rows of every batch are divided.
    importance : bool
        Whether the importance of the selected features is wanted; else it is zero.
    columns : array of int, optional
        The features that the columns of the rows are; None if they are all features.
    adaptive : bool
        Whether another decoder may be used where it predicts better
        (:mod:`ipcae.training.choices.adapting`).
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
    refit: bool | str = False
    processes: Processes | None = None
    importance: bool = True
    columns: Integers | None = None
    adaptive: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "validation", whole_batches(self.validation, self.plan))
        if self.constraints is None:
            object.__setattr__(self, "constraints", Constraints(self.n_features))

    def of_runs(self, runs: Sequence[int]) -> Problem:
        """Return the problem for some of the runs."""
        if list(runs) == list(range(len(self.runs))):
            return self
        return replace(
            self,
            runs=self.runs.subset(runs),
            rows=self.rows.of_runs(runs),
            validation=self.validation.of_runs(runs),
        )

    def agreed(self, flag: bool) -> bool:
        """Return whether a flag is set, in this process or in any other that shares the rows."""
        return flag if self.processes is None else self.processes.any(flag)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of features that every run selects."""
        return self.runs.n_selected or (self.n_selected,) * len(self.runs)

    @property
    def n_features(self) -> int:
        """The number of features, D."""
        return self.rows.inputs.shape[1]

    @property
    def n_to_choose(self) -> int:
        """The number of features to choose in addition to the included ones."""
        return self.constraints.n_to_choose(self.n_selected)

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
        """The model of a new decoder on K fixed features."""
        n_inputs = self.constraints.most_columns(self.n_selected)
        return FixedSelection(self.decoder, n_inputs, self.task.n_outputs)
