"""What the three selectors share: the scikit-learn face of the engine."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ipcae.decoders import Decoder, Mlp
from ipcae.errors import InputError, TrainingWarning
from ipcae.estimators import inputs, settings
from ipcae.estimators.scaling import fit_scaler
from ipcae.losses import Loss
from ipcae.models import Params, SelectThenDecode
from ipcae.runs import Runs
from ipcae.selection import Selection, agreement
from ipcae.training import Choice, Plan, Rows, choose_features
from ipcae.training.progress import ProgressLine

_PREDICT_ROWS = 8192


class NeuralSelector(SelectorMixin, BaseEstimator):
    """Base of the selectors: all but the targets. Not to be used by itself."""

    _default_decoder: Decoder = Mlp(hidden=(512,))

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
        device: str = "auto",
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
        self.device = device
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

    # Fitting.

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, X_val: Any = None, y_val: Any = None
    ) -> Self:
        device = settings.device_for(self.device)
        selector = settings.selector_for(self.method, self.noise_draws)
        decoder = settings.decoder_for(self.decoder, self._default_decoder)
        n_runs = settings.positive(self.n_runs, "n_runs")
        max_epochs = settings.positive(self.max_epochs, "max_epochs")
        learning_rate = settings.learning_rate_for(self.learning_rate)
        weight_decay = settings.weight_decay_for(self.weight_decay)
        rows = inputs.read_rows(self, X, reset=True)
        n_selected = inputs.count_to_select(self.n_features_to_select, rows.shape[1])
        weights = inputs.read_weights(sample_weight, rows)
        targets = self._read_targets(rows, y, reset=True)
        loss = settings.loss_for(self.loss, self._task_loss())
        random = check_random_state(self.random_state)
        split_seed, order_seed, *run_seeds = random.randint(2**31 - 1, size=2 + n_runs).tolist()

        table = Rows(rows, rows if targets is None else targets, weights)
        if weights is not None and not bool(weights.all()):
            # Rows of weight 0 say nothing, about the scale of the columns or in validation either.
            table = table.take(weights > 0)
        if X_val is not None:
            held_out = self._read_held_out(X_val, y_val, table)
        elif y_val is not None:
            raise InputError("y_val was given without X_val: expected both or neither.")
        else:
            table, held_out = self._split(table, split_seed)
        constant = self._constant_columns(table.inputs, n_selected)
        self.scaler_ = fit_scaler(table.inputs, self.scale)
        self._fit_target_scaler(table.targets)
        table, held_out = (self._scaled(part).to(device) for part in (table, held_out))

        model = SelectThenDecode(
            selector, decoder, rows.shape[1], n_selected, self._n_outputs(table), constant
        )
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
        choice = choose_features(
            model,
            loss,
            table,
            held_out,
            Runs.of(run_seeds, learning_rate, selector.penalty_weight),
            plan,
            unique=self.unique,
            fine_tune_epochs=settings.fine_tune_epochs_for(self.fine_tune, max_epochs),
            callbacks=(ProgressLine(),) if self.verbose else (),
        )
        self._keep(choice, run_seeds)
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

    def _split(self, table: Rows, seed: int) -> tuple[Rows, Rows]:
        """Set rows aside for validation; without a fraction, validate on the training rows."""
        fraction = settings.validation_fraction_for(self.validation_fraction)
        if fraction is None:
            return table, table
        n_rows = len(table)
        n_held_out = max(round(n_rows * fraction), 1)
        if n_rows - n_held_out < 1:
            raise InputError(
                f"X has n_samples={n_rows}: too few to set {n_held_out} aside for validation. "
                "Give more rows, or validation_fraction=None to validate on the training rows."
            )
        strata = self._strata(table.targets)
        if strata is not None:
            counts = np.unique(strata, return_counts=True)[1]
            if counts.min() < 2 or min(n_held_out, n_rows - n_held_out) < len(counts):
                strata = None
        train, held_out = train_test_split(
            np.arange(n_rows), test_size=n_held_out, random_state=seed, stratify=strata
        )
        device = table.inputs.device
        return (
            table.take(torch.as_tensor(train, device=device)),
            table.take(torch.as_tensor(held_out, device=device)),
        )

    def _constant_columns(self, rows: Tensor, n_selected: int) -> tuple[int, ...]:
        """Return the columns that carry nothing, and warn of them."""
        constant = (rows.amin(0) == rows.amax(0)).nonzero().flatten().tolist()
        n_features = rows.shape[1]
        if constant and self.unique:
            names = getattr(self, "feature_names_in_", None)
            labels = [str(c if names is None else names[c]) for c in constant]
            needed = n_selected - (n_features - len(constant))
            tail = (
                f"{needed} of them had to be selected, since only {n_features - len(constant)} "
                "columns vary."
                if needed > 0
                else "they will not be selected."
            )
            warnings.warn(
                f"{len(constant)} of {n_features} columns are constant in the training rows "
                f"({inputs.some(labels)}): {tail}",
                TrainingWarning,
                stacklevel=4,
            )
        return tuple(constant) if self.unique else ()

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
            _warn("Training was interrupted; the best state so far is kept, without fine-tuning.")
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
        self.params_: Params = {name: t.detach().cpu() for name, t in choice.params.items()}

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that was refused half-way leaves other attributes behind.
        return hasattr(self, "params_")

    # The selection.

    @property
    def selection_(self) -> Selection:
        """What the best run selected."""
        check_is_fitted(self)
        return self.selections_[self.best_run_]

    @property
    def ranking_(self) -> NDArray[np.int64]:
        """Rank of every feature from 1.

        First the selected ones, by how much the validation loss rises when they are shuffled;
        then the others, by agreement over the runs and by selection probability.
        """
        selection = self.selection_
        importance = np.full(len(selection.probability), -np.inf)
        np.maximum.at(importance, selection.features, self.importance_[self.best_run_])
        unselected = ~selection.support()
        order = np.lexsort((-selection.probability, -self.agreement_, -importance, unselected))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(1, len(order) + 1)
        return ranks

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.selection_.support()

    def transform(self, X: Any) -> Any:
        """Return the selected columns; a torch tensor gives a tensor on its own device."""
        if isinstance(X, Tensor):
            check_is_fitted(self)
            inputs.read_rows(self, X, reset=False)
            columns = torch.as_tensor(self.get_support(indices=True), device=X.device)
            return X.index_select(1, columns)
        return super().transform(X)

    def with_run(self, run: int) -> Self:
        """Return a copy of the fitted selector that answers with another of its runs."""
        check_is_fitted(self)
        if not 0 <= run < len(self.selections_):
            raise InputError(f"There is no run {run}: expected 0 to {len(self.selections_) - 1}.")
        if not np.isfinite(self.validation_loss_[run]):
            raise InputError(f"Run {run} diverged and was left out: choose another.")
        twin = copy.copy(self)
        twin.best_run_ = run
        return twin

    # The decoder.

    @torch.no_grad()
    def _outputs(self, X: Any) -> Tensor:
        """Return the decoder's outputs from all columns. Shape: (N, D) -> (N, O)."""
        check_is_fitted(self)
        rows = inputs.read_rows(self, X, reset=False)
        features = torch.as_tensor(self.selection_.features)
        return self._decode(rows.cpu()[:, features], features)

    @torch.no_grad()
    def _outputs_from_selected(self, X_selected: Any) -> Tensor:
        """Return the decoder's outputs from the columns that ``transform`` gives."""
        check_is_fitted(self)
        names = self.get_feature_names_out() if hasattr(self, "feature_names_in_") else None
        values = _selected_values(X_selected, int(self.get_support().sum()), names)
        features = torch.as_tensor(self.selection_.features)
        column = torch.as_tensor(np.cumsum(self.get_support()) - 1)[features]
        return self._decode(values[:, column], features)

    def _decode(self, values: Tensor, features: Tensor) -> Tensor:
        own = slice(self.best_run_, self.best_run_ + 1)
        # In float64, so that a row's prediction does not depend on the rows beside it.
        params = {name: _double(tensor[own]) for name, tensor in self.params_.items()}
        scaled = self.scaler_.columns(features).apply(values).double()
        outputs = [
            self.model_.decode(params, part[None])[0] for part in scaled.split(_PREDICT_ROWS)
        ]
        return torch.cat(outputs)


def _selected_values(X_selected: Any, n_selected: int, names: NDArray[Any] | None) -> Tensor:
    if isinstance(X_selected, Tensor):
        values = inputs.as_floating(X_selected.detach().cpu())
    else:
        dense = np.array(X_selected.toarray() if hasattr(X_selected, "toarray") else X_selected)
        values = torch.from_numpy(dense if dense.dtype == np.float32 else dense.astype(np.float64))
    if values.ndim != 2 or values.shape[1] != n_selected:
        raise InputError(
            f"Expected the {n_selected} selected columns, in the order of "
            f"get_feature_names_out(); got shape {tuple(values.shape)}."
        )
    given = [str(name) for name in getattr(X_selected, "columns", ())]
    labels = None if names is None else list(names)
    if labels and given and given != labels:
        raise InputError(
            f"Expected the selected columns {inputs.some(labels)}, in this order; got "
            f"{inputs.some(given)}."
        )
    inputs.refuse_not_finite(values, labels, "X_selected")
    return values


def _double(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _warn(message: str) -> None:
    warnings.warn(message, TrainingWarning, stacklevel=5)
