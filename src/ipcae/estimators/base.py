"""What the three selectors share: their arguments, and the way from a table to a selection."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from torch import Tensor

from ipcae.decoders import Decoder, Mlp
from ipcae.errors import InputError, TrainingWarning
from ipcae.estimators import inputs, settings
from ipcae.estimators.handover import Handover
from ipcae.estimators.held_out import set_aside
from ipcae.estimators.memory import MemoryEstimate, Sizes, estimate, free_bytes, readable
from ipcae.estimators.scaling import fit_scaler
from ipcae.estimators.sklearn_callbacks import CallbackSupport, forwarder_for, with_callbacks
from ipcae.losses import Loss
from ipcae.models import model_for
from ipcae.ops import matrix_precision
from ipcae.runs import Runs
from ipcae.selection import agreement
from ipcae.training import Choice, Plan, Rows, select_features
from ipcae.training.progress import ProgressLine


class NeuralSelector(CallbackSupport, Handover):
    """Base of the selectors: all but the targets. Not to be used by itself."""

    _default_decoder: Decoder = Mlp(hidden=(512,))
    _task: str

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        method: Any = "ip-cae",
        n_runs: int = 1,
        max_epochs: int = 200,
        batch_size: int | str = "auto",
        learning_rate: Any = 1e-3,
        schedule: Any = "constant",
        weight_decay: float = 0.0,
        noise_draws: int | str | None = None,
        decoder: Any = "auto",
        loss: Any = None,
        scale: str | bool | None = "auto",
        fine_tune: bool | int = True,
        unique: bool = True,
        validation_fraction: float | None = 0.2,
        early_stopping: bool | int = False,
        shuffle: bool = True,
        drop_last: bool = False,
        checkpoint: Any = None,
        resume: bool = False,
        callbacks: Any = None,
        device: str = "auto",
        precision: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.method = method
        self.n_runs = n_runs
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.noise_draws = noise_draws
        self.decoder = decoder
        self.loss = loss
        self.scale = scale
        self.fine_tune = fine_tune
        self.unique = unique
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.checkpoint = checkpoint
        self.resume = resume
        self.callbacks = callbacks
        self.device = device
        self.precision = precision
        self.random_state = random_state
        self.verbose = verbose

    # What a subclass says about its targets.

    def _read_targets(self, rows: Tensor, y: Any, *, reset: bool) -> Tensor | None:
        """Check y and return it as a tensor, or None where the rows are the targets."""
        raise NotImplementedError

    def _task_loss(self) -> Loss:
        raise NotImplementedError

    def _strata(self, y: Tensor) -> NDArray[Any] | None:
        """Return what the validation rows should be balanced by."""
        return None

    # Before fitting.

    def estimate_memory(
        self, n_rows: int, n_features: int, n_outputs: int | None = None, dtype: Any = "float64"
    ) -> MemoryEstimate:
        """Tell how much memory ``fit`` will take on the selector's device, besides X itself.

        Parameters
        ----------
        n_rows, n_features : int
            The shape of X.
        n_outputs : int, optional
            Classes, labels or targets; 1 if not given. A reconstruction has ``n_features``.
        dtype : default="float64"
            Of X.

        Returns
        -------
        MemoryEstimate
            ``total`` and the parts ``rows``, ``parameters``, ``optimizer``, ``best_copy`` and
            ``activations``, in bytes.

        Examples
        --------
        >>> from ipcae import ReconstructionSelector
        >>> ReconstructionSelector(50, device="cpu").estimate_memory(1000, 20_000).total // 10**6
        446
        """
        for name, value in (("n_rows", n_rows), ("n_features", n_features)):
            settings.positive(value, name)
        if self._task == "reconstruction":
            n_outputs = n_features
        return self._estimate(n_rows, n_features, n_outputs or 1, np.dtype(dtype).itemsize)

    def _estimate(
        self, n_rows: int, n_features: int, n_outputs: int, itemsize: int
    ) -> MemoryEstimate:
        model = model_for(
            settings.selector_for(self.method, self.noise_draws, self._task),
            settings.decoder_for(self.decoder, self._default_decoder),
            n_features,
            inputs.count_to_select(self.n_features_to_select, n_features),
            n_outputs,
        )
        fraction = settings.validation_fraction_for(self.validation_fraction)
        n_validation = round(n_rows * (fraction or 0.0))
        sizes = Sizes(
            n_train=max(1, n_rows - n_validation),
            n_validation=n_validation,
            n_features=n_features,
            n_runs=settings.positive(self.n_runs, "n_runs"),
            batch_size=settings.batch_size_for(self.batch_size, n_rows - n_validation),
            itemsize=itemsize if itemsize == 4 else 8,
        )
        return estimate(model, sizes, settings.device_for(self.device))

    def _warn_of_memory(self, rows: Tensor, n_outputs: int, n_runs: int) -> None:
        free = free_bytes(settings.device_for(self.device))
        n_rows, n_features = rows.shape
        # More than any fit needs. Most tables are far below, and an estimate takes its time.
        most = 64 * (n_rows + n_runs * max(n_features, n_rows)) * max(n_features, n_outputs)
        most += n_runs * 2**30
        if free is None or most < free:
            return
        needed = self._estimate(n_rows, n_features, n_outputs, rows.element_size())
        if needed.total > free:
            _warn(
                f"The fit needs about {readable(needed.total)}, but only {readable(free)} are free "
                f"({needed!r}). Fewer runs (n_runs) need less, and so does a shorter embedding: "
                "Full(size='auto') is P of at most 128, Full(size='features') makes W as large as "
                "the square of the number of features."
            )

    # Fitting.

    @with_callbacks
    def _fit(
        self, X: Any, y: Any, sample_weight: Any, X_val: Any = None, y_val: Any = None
    ) -> Self:
        device = settings.device_for(self.device)
        precision = settings.precision_for(self.precision)
        selector = settings.selector_for(self.method, self.noise_draws, self._task)
        decoder = settings.decoder_for(self.decoder, self._default_decoder)
        n_runs = settings.positive(self.n_runs, "n_runs")
        max_epochs = settings.positive(self.max_epochs, "max_epochs")
        learning_rate = settings.learning_rate_for(self.learning_rate)
        weight_decay = settings.weight_decay_for(self.weight_decay)
        fine_tune_epochs = settings.fine_tune_epochs_for(self.fine_tune, max_epochs)
        callbacks = settings.callbacks_for(self.callbacks)
        callbacks += (ProgressLine(),) if self.verbose else ()
        rows = inputs.read_rows(self, X, reset=True)
        n_selected = inputs.count_to_select(self.n_features_to_select, rows.shape[1])
        weights = inputs.read_weights(sample_weight, rows)
        targets = self._read_targets(rows, y, reset=True)
        n_outputs = self._n_outputs(Rows(rows, rows if targets is None else targets))
        self._warn_of_memory(rows, n_outputs, n_runs)
        loss = settings.loss_for(self.loss, self._task_loss())
        random = check_random_state(self.random_state)
        split_seed, order_seed, *run_seeds = random.randint(2**31 - 1, size=2 + n_runs).tolist()

        table = Rows(rows, rows if targets is None else targets, weights)
        if weights is not None and not bool(weights.all()):
            # Rows of weight 0 say nothing, about the scale of the columns or in validation either.
            table = table.take(weights.nonzero().flatten())
        if X_val is not None:
            held_out = self._read_held_out(X_val, y_val, table)
        elif y_val is not None:
            raise InputError("y_val was given without X_val: expected both or neither.")
        else:
            fraction = settings.validation_fraction_for(self.validation_fraction)
            table, held_out = set_aside(table, fraction, self._strata(table.targets), split_seed)
        constant = self._constant_columns(table.inputs, n_selected) if self.unique else ()
        self.scaler_ = fit_scaler(table.inputs, self.scale)
        self._fit_target_scaler(table.targets)
        table, held_out = (self._scaled(part).to(device) for part in (table, held_out))

        model = model_for(selector, decoder, rows.shape[1], n_selected, n_outputs, constant)
        plan = Plan(
            max_epochs=max_epochs,
            batch_size=settings.batch_size_for(self.batch_size, len(table)),
            shuffle=self.shuffle,
            drop_last=self.drop_last,
            schedule=settings.schedule_for(self.schedule),
            weight_decay=weight_decay,
            patience=settings.patience_for(self.early_stopping, max_epochs),
            order_seed=order_seed,
        )
        # A method that does not train selection and decoder together trains one after the other.
        n_phases = (1 if hasattr(selector, "select") else 2) + bool(fine_tune_epochs)
        forwarder = forwarder_for(self, X, y, sample_weight, n_phases)
        with matrix_precision(precision):
            choice = select_features(
                model,
                loss,
                table,
                held_out,
                Runs.of(run_seeds, learning_rate, getattr(selector, "penalty_weight", 0.0)),
                plan,
                unique=self.unique,
                fine_tune_epochs=fine_tune_epochs,
                callbacks=(*callbacks, forwarder) if forwarder else callbacks,
                checkpoint=settings.checkpoint_for(self.checkpoint, self.resume),
            )
        self._keep(choice, run_seeds)
        if forwarder:
            forwarder.finish()
        return self

    def _read_held_out(self, X_val: Any, y_val: Any, table: Rows) -> Rows:
        """Read the user's own rows for validation, which must be like the training rows."""
        rows = inputs.read_rows(self, X_val, reset=False, name="X_val")
        if y_val is None and table.targets is not table.inputs:
            raise InputError("X_val was given without y_val: expected both or neither.")
        targets = self._read_targets(rows, y_val, reset=False)
        if targets is not None and targets.shape[1:] != table.targets.shape[1:]:
            raise InputError(
                f"y and y_val have different numbers of columns, {table.targets.shape[1]} and "
                f"{targets.shape[1]}: expected the same."
            )
        return Rows(rows, rows if targets is None else targets)

    def _constant_columns(self, rows: Tensor, n_selected: int) -> tuple[int, ...]:
        """Return the columns that carry nothing, and warn of them."""
        constant = (rows.amin(0) == rows.amax(0)).nonzero().flatten().tolist()
        if constant:
            names = getattr(self, "feature_names_in_", None)
            labels = [str(c if names is None else names[c]) for c in constant]
            n_varying = rows.shape[1] - len(constant)
            tail = "they will not be selected."
            if n_selected > n_varying:
                tail = (
                    f"{n_selected - n_varying} of them had to be selected, since only {n_varying} "
                    "columns vary."
                )
            warnings.warn(
                f"{len(constant)} of {rows.shape[1]} columns are constant in the training rows "
                f"({inputs.some(labels)}): {tail}",
                TrainingWarning,
                stacklevel=5,
            )
        return tuple(constant)

    def _scaled(self, table: Rows) -> Rows:
        scaled = self.scaler_.apply(table.inputs)
        own_targets = table.targets is table.inputs
        targets = scaled if own_targets else self._scaled_targets(table.targets)
        return Rows(scaled, targets, table.weights)

    def _fit_target_scaler(self, targets: Tensor) -> None:
        """Learn a scale of the training targets, where a task has one."""

    def _scaled_targets(self, targets: Tensor) -> Tensor:
        return targets

    def _n_outputs(self, table: Rows) -> int:
        return int(table.targets.shape[1])

    def _keep(self, choice: Choice, run_seeds: list[int]) -> None:
        """Store what was learned, on the CPU."""
        usable = np.isfinite(choice.validation_loss)
        if not usable.any():
            raise InputError(
                "Training diverged in every run: no loss was finite. Scale the data "
                "(scale='auto'), lower the learning rate or check the loss function."
            )
        for run, status in enumerate(choice.status):
            if status == "diverged":
                state = "its best state before that is kept" if usable[run] else "it is left out"
                _warn(f"Run {run} (seed {run_seeds[run]}) diverged; {state}.")
        if "interrupted" in choice.status:
            _warn("Training was interrupted; the best state so far is kept.")
        self.selections_ = choice.selections
        self.validation_loss_ = choice.validation_loss
        self.best_run_ = int(np.argmin(choice.validation_loss))
        self.agreement_ = agreement(
            [s for s, ok in zip(choice.selections, usable, strict=True) if ok]
        )
        self.importance_ = choice.importance
        self.run_seeds_ = run_seeds
        self.run_status_ = choice.status
        self.best_epoch_ = choice.best_epoch
        self.history_ = choice.history.columns()
        self.fit_seconds_ = choice.seconds
        self.model_ = choice.model
        self.params_ = {name: t.detach().cpu() for name, t in choice.params.items()}


def _warn(message: str) -> None:
    warnings.warn(message, TrainingWarning, stacklevel=6)
