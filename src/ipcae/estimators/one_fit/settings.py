"""The parsed and checked arguments of an estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from ipcae.constraints import Constraints
from ipcae.decoders import Decoder
from ipcae.devices import device_for
from ipcae.distributed import is_first
from ipcae.estimators.one_fit import arguments
from ipcae.selectors import Method
from ipcae.tasks import Task
from ipcae.training import Callback, Checkpoint, Plan
from ipcae.training.plan import MANY_ROWS, ROWS_PER_EPOCH, auto_batch_size, is_tall
from ipcae.training.progress.progress_line import ProgressLine
from ipcae.training.states.spread_checkpoint import checkpoint_of_process

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector


FEW_ROWS = 300
"""With fewer rows, a smaller decoder predicts as well (benchmarks/stopping.py)."""

FINE_TUNE_EPOCHS, FINE_TUNE_EPOCHS_OF_MANY_ROWS = 40, 20
"""The fewest epochs of fine-tuning, unless ``max_epochs`` was given; the second with 20,000 rows or
more."""


@dataclass(frozen=True)
class Settings:
    """The settings of a fit, named like the arguments.

    What depends on the table is preliminary until :meth:`for_table`: IP-CAE if no method was given,
    and the decoder and the epochs of a table with few rows.
    """

    method: Method
    decoder: Decoder
    plan: Plan
    n_runs: int
    batch_size: int | None
    learning_rate: Any
    scale: str | None
    fine_tune_epochs: int
    refit: bool | str
    unique: bool
    validation_fraction: float | None
    checkpoint: Checkpoint | None
    callbacks: tuple[Callback, ...]
    device: torch.device
    precision: str
    adaptive: bool

    @classmethod
    def of(cls, selector: NeuralSelector, method: Any = None) -> Settings:
        """Parse the arguments of an estimator; raise an error for an invalid one.

        ``method`` is the one that ``method="auto"`` has chosen.
        """
        task = selector._task
        arguments.check_encodings(vars(selector))
        max_epochs = arguments.max_epochs_for(selector.max_epochs, task)
        callbacks = arguments.callbacks_for(selector.callbacks)
        shows_progress = selector.verbose and is_first()
        chosen = arguments.method_for(
            method or selector.method or "ip-cae", selector.noise_draws, task
        )
        return cls(
            method=chosen,
            decoder=_decoder_of(selector, chosen),
            plan=Plan(
                max_epochs=max_epochs,
                shuffle=arguments.truth(selector.shuffle, "shuffle"),
                drop_last=arguments.truth(selector.drop_last, "drop_last"),
                schedule=arguments.schedule_for(selector.schedule),
                weight_decay=arguments.weight_decay_for(selector.weight_decay),
                patience=arguments.patience_for(selector.early_stopping, max_epochs),
                settle=arguments.is_auto(selector.early_stopping),
            ),
            n_runs=arguments.positive(selector.n_runs, "n_runs"),
            batch_size=arguments.batch_size_for(selector.batch_size),
            learning_rate=arguments.learning_rate_for(selector.learning_rate),
            scale=arguments.scale_for(selector.scale),
            fine_tune_epochs=arguments.fine_tune_epochs_for(selector.fine_tune, max_epochs),
            refit=arguments.refit_for(selector.refit),
            unique=arguments.truth(selector.unique, "unique"),
            validation_fraction=arguments.validation_fraction_for(selector.validation_fraction),
            checkpoint=checkpoint_of_process(
                arguments.checkpoint_for(selector.checkpoint, selector.resume)
            ),
            callbacks=(*callbacks, ProgressLine()) if shows_progress else callbacks,
            device=device_for(selector.device),
            precision=arguments.precision_for(selector.precision),
            adaptive=arguments.is_auto(selector.decoder),
        )

    def for_table(
        self,
        selector: NeuralSelector,
        method: Method,
        task: Task | type[Task],
        shape: tuple[int, int],
        constraints: Constraints | None,
    ) -> Settings:
        """Return the settings with a method, and the decoder and the epochs for it and the table.

        ``shape`` has the numbers of rows and of features.
        """
        n_rows, n_features = shape
        tall = _needs_few_epochs(selector, method, n_rows, n_features, constraints)
        max_epochs = arguments.max_epochs_for(selector.max_epochs, task, n_rows, tall)
        fewest = FINE_TUNE_EPOCHS_OF_MANY_ROWS if n_rows >= MANY_ROWS else FINE_TUNE_EPOCHS
        if not arguments.is_auto(selector.max_epochs):
            fewest = 1
        return replace(
            self,
            method=method,
            decoder=_decoder_of(selector, method, n_rows, tall),
            plan=replace(
                self.plan,
                max_epochs=max_epochs,
                patience=arguments.patience_for(selector.early_stopping, max_epochs),
            ),
            fine_tune_epochs=arguments.fine_tune_epochs_for(selector.fine_tune, max_epochs, fewest),
        )

    def batch_size_of(self, n_rows: int) -> int:
        """Return the batch size for a number of training rows."""
        return self.batch_size or auto_batch_size(n_rows)

    def plan_of(self, n_rows: int, order_seed: int) -> Plan:
        """Return the training plan for a number of training rows."""
        return replace(
            self.plan,
            batch_size=self.batch_size_of(n_rows),
            order_seed=order_seed,
            rows_per_epoch=ROWS_PER_EPOCH if self.plan.shuffle else None,
        )


def _needs_few_epochs(
    selector: NeuralSelector,
    method: Method,
    n_rows: int,
    n_features: int,
    constraints: Constraints | None,
) -> bool:
    """Return whether few epochs are enough: many rows, of which a network reads few columns.

    With limits or a budget, it reads all of them. A decoder that was given may need more epochs.
    """
    limited = constraints is not None and (constraints.at_most or constraints.budget is not None)
    usual = arguments.is_auto(selector.decoder)
    return usual and is_tall(n_rows, n_features) and method.few_candidates and not limited


def _decoder_of(
    selector: NeuralSelector, method: Method, n_rows: int = FEW_ROWS, tall: bool = False
) -> Decoder:
    """Return the decoder that was given, or the one for the method, the task and the table."""
    task = selector._fitted_task
    suited = task.decoder
    if n_rows < FEW_ROWS:
        suited = task.small_decoder or suited
    elif tall:
        suited = task.tall_decoder or suited
    elif n_rows >= MANY_ROWS:
        suited = task.large_decoder or suited
    return arguments.decoder_for(selector.decoder, method.auto_decoder or suited)
