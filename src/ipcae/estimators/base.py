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

    def _strata(self, y: Tensor | None) -> NDArray[Any] | None:
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
        rows = inputs.read_rows(self, X, reset=True)
        n_selected = inputs.count_to_select(self.n_features_to_select, rows.shape[1])
        weights = inputs.read_weights(sample_weight, rows)
        targets = self._read_targets(rows, y, reset=True)
        loss = settings.loss_for(self.loss, self._task_loss())
        random = check_random_state(self.random_state)
        split_seed, order_seed, *run_seeds = random.randint(2**31 - 1, size=2 + n_runs).tolist()

        table = Rows(rows, rows if targets is None else targets, weights)
        if X_val is not None:
            held_out_rows = inputs.read_rows(self, X_val, reset=False)
            held_out_targets = self._read_targets(held_out_rows, y_val, reset=False)
            held_out = Rows(
                held_out_rows, held_out_rows if held_out_targets is None else held_out_targets
            )
        else:
            table, held_out = self._split(table, targets, split_seed)
        constant = self._constant_columns(table.inputs, n_selected)
        self.scaler_ = fit_scaler(table.inputs, self.scale)
        table, held_out = (self._scaled(part).to(device) for part in (table, held_out))

        model = SelectThenDecode(
            selector, decoder, rows.shape[1], n_selected, self._n_outputs(table), constant
        )
        plan = Plan(
            max_epochs=max_epochs,
            batch_size=settings.batch_size_for(self.batch_size, len(table)),
            shuffle=self.shuffle,
            drop_last=self.drop_last,
            weight_decay=self.weight_decay,
            patience=settings.patience_for(self.early_stopping, max_epochs),
            order_seed=order_seed,
        )
        choice = choose_features(
            model,
            loss,
            table,
            held_out,
            Runs.of(run_seeds, self.learning_rate, selector.penalty_weight),
            plan,
            unique=self.unique,
            fine_tune_epochs=settings.fine_tune_epochs_for(self.fine_tune, max_epochs),
            callbacks=(ProgressLine(),) if self.verbose else (),
        )
        self._keep(choice, run_seeds)
        return self

    def _split(self, table: Rows, targets: Tensor | None, seed: int) -> tuple[Rows, Rows]:
        """Set rows aside for validation; without a fraction, validate on the training rows."""
        if not self.validation_fraction:
            return table, table
        if not 0 < self.validation_fraction < 1:
            raise InputError(
                f"validation_fraction={self.validation_fraction!r} is not a fraction: expected a "
                "number between 0 and 1, or None to validate on the training rows."
            )
        n_rows = len(table)
        n_held_out = max(round(n_rows * self.validation_fraction), 1)
        if n_rows - n_held_out < 1:
            raise InputError(
                f"X has n_samples={n_rows}: too few to set {n_held_out} aside for validation. "
                "Give more rows, or validation_fraction=None to validate on the training rows."
            )
        strata = self._strata(targets)
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

    def _scaled_targets(self, targets: Tensor) -> Tensor:
        return targets

    def _n_outputs(self, table: Rows) -> int:
        return int(table.targets.shape[1])

    def _keep(self, choice: Choice, run_seeds: list[int]) -> None:
        """Store what was learned, on the CPU."""
        usable = np.isfinite(choice.validation_loss)
        for run, status in enumerate(choice.status):
            if status == "diverged":
                state = "its best state before that is kept" if usable[run] else "it is left out"
                _warn(f"Run {run} (seed {run_seeds[run]}) diverged; {state}.")
        if "interrupted" in choice.status:
            _warn("Training was interrupted; the best state so far is kept, without fine-tuning.")
        if not usable.any():
            raise InputError(
                "Training diverged in every run: no loss was finite. Scale the data "
                "(scale='auto'), lower the learning rate or check the loss function."
            )
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
            rows = inputs.read_rows(self, X, reset=False)
            return rows[:, torch.as_tensor(self.get_support(), device=X.device)]
        return super().transform(X)

    def with_run(self, run: int) -> Self:
        """Return a copy of the fitted selector that answers with another of its runs."""
        check_is_fitted(self)
        if not 0 <= run < len(self.selections_):
            raise InputError(f"There is no run {run}: expected 0 to {len(self.selections_) - 1}.")
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
        values = _selected_values(X_selected, int(self.get_support().sum()))
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


def _selected_values(X_selected: Any, n_selected: int) -> Tensor:
    if isinstance(X_selected, Tensor):
        values = X_selected.detach().cpu()
    else:
        if hasattr(X_selected, "toarray"):
            X_selected = X_selected.toarray()
        values = torch.as_tensor(np.array(X_selected, dtype=np.float64))
    if values.ndim != 2 or values.shape[1] != n_selected:
        raise InputError(
            f"Expected the {n_selected} selected columns, in the order of "
            f"get_feature_names_out(); got shape {tuple(values.shape)}."
        )
    return values


def _double(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _warn(message: str) -> None:
    warnings.warn(message, TrainingWarning, stacklevel=5)
