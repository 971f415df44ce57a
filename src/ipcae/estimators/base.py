"""The base class of the selectors."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.errors import InputError, as_input_error
from ipcae.estimators import arguments, fitting
from ipcae.estimators.decoding import Decoding
from ipcae.estimators.memory import MemoryEstimate, Sizes, estimate, units_of
from ipcae.estimators.notebook import ShownInNotebooks
from ipcae.estimators.outputs import Outputs
from ipcae.estimators.settings import Settings, decoder_of
from ipcae.estimators.sklearn_callbacks import CallbackSupport, with_callbacks
from ipcae.evaluation import ChanceTest
from ipcae.feature_table import feature_ranks
from ipcae.losses import Loss
from ipcae.selectors import Method, method_named, recommended
from ipcae.sources import Source
from ipcae.tables import read_rows
from ipcae.tables.frames import take_columns
from ipcae.tasks import Task
from ipcae.training.history import Columns


class NeuralSelector(CallbackSupport, Outputs, Decoding, ShownInNotebooks):
    """Base class of the selectors. Should not be used directly."""

    _task: type[Task]
    _other_tasks: tuple[type[Task], ...] = ()  # that another loss stands for
    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    method_: str | Method
    method_reason_: str
    constraints_: Constraints
    validation_loss_: NDArray[np.float64]
    importance_: NDArray[np.float64]
    run_seeds_: list[int]
    run_status_: list[str]
    best_epoch_: list[int]
    history_: Columns
    fit_seconds_: float

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        method: Any = None,
        include: Any = None,
        exclude: Any = None,
        feature_groups: Any = None,
        at_most: Any = None,
        feature_costs: Any = None,
        budget: float | None = None,
        categories: str = "auto",
        missing: str = "error",
        dates: str = "ignore",
        n_runs: int = 1,
        max_epochs: int | str = "auto",
        batch_size: int | str = "auto",
        learning_rate: Any = 1e-3,
        schedule: Any = "constant",
        weight_decay: float = 0.0,
        noise_draws: int | str | None = None,
        decoder: Any = "auto",
        loss: Any = None,
        scale: str | bool | None = "auto",
        fine_tune: bool | int = True,
        refit: bool = True,
        unique: bool = True,
        validation_fraction: float | None = 0.2,
        early_stopping: bool | int | str = "auto",
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
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.at_most = at_most
        self.feature_costs = feature_costs
        self.budget = budget
        self.categories = categories
        self.missing = missing
        self.dates = dates
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
        self.refit = refit
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

    # Fitting.

    def estimate_memory(
        self,
        n_rows: int,
        n_features: int,
        n_outputs: int | None = None,
        dtype: Any = "float64",
        feature_names: Sequence[str] | None = None,
    ) -> MemoryEstimate:
        """Estimate the memory that ``fit`` needs on the selector's device, in addition to X.

        Parameters
        ----------
        n_rows, n_features : int
            The shape of X. A column of categories counts as one feature per category.
        n_outputs : int, default=None
            Number of classes, labels or targets. None means 1; ignored for reconstruction.
        dtype : dtype, default="float64"
            The data type of X.
        feature_names : sequence of str, default=None
            Names of the columns, if ``feature_groups`` or other constraints use them. Constraints
            matter for the memory only if columns are selected in groups.

        Returns
        -------
        MemoryEstimate
            The ``total`` in bytes, and its parts ``rows``, ``parameters``, ``optimizer``,
            ``best_copy`` and ``activations``.

        Examples
        --------
        >>> from ipcae import ReconstructionSelector
        >>> selector = ReconstructionSelector(50, method="ip-cae", device="cpu")
        >>> selector.estimate_memory(1000, 20_000).total // 10**6
        472
        """
        for name, value in (("n_rows", n_rows), ("n_features", n_features)):
            arguments.positive(value, name)
        settings = Settings.of(self)
        n_selected, constraints = units_of(self, n_features, feature_names)
        n_outputs = self._task.count_outputs(n_features, n_outputs)
        itemsize = np.dtype(dtype).itemsize
        method = settings.method
        if self.method is None:
            method = method_named(recommended(self._task, n_rows, n_features, n_selected).method)
        settings = replace(settings, decoder=decoder_of(self, method, n_rows))
        shape = n_rows, n_features, n_selected, n_outputs
        sizes = Sizes.of(settings, *shape, itemsize, constraints)
        return estimate(method, sizes, settings.device)

    @with_callbacks
    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        fitting.fit(self, X, y, sample_weight, groups, X_val, y_val)
        return self

    def _row_weights(self, task: Task, targets: Tensor, weights: Tensor | None) -> Tensor | None:
        """Return the weights of the rows, given the sample weights."""
        return weights

    @property
    def _fitted_task(self) -> type[Task]:
        """The task of a fit, which may depend on the loss."""
        return self._task

    def _loss_for(self, task: Task) -> Loss:
        """Return the loss of a fit."""
        return task.loss_for(self.loss)

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that raised an error may have set other attributes.
        return hasattr(self, "params_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "impute"
        return tags

    # The selection.

    @property
    def ranking_(self) -> NDArray[np.int64]:
        """Rank of every feature, starting at 1.

        Selected features come first, ordered by permutation importance. The others are ordered by
        the number of other runs that selected them, then by selection probability.
        """
        selection = self.selection_
        return feature_ranks(selection, self.importance_[self.best_run_], self.other_seeds_)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.selection_.support()

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X; a tensor is returned as a tensor on its device."""
        if isinstance(X, Tensor):
            check_is_fitted(self)
            read_rows(self, X, reset=False)
            columns = torch.as_tensor(self.get_support(indices=True), device=X.device)
            return (X.to_dense() if X.layout == torch.sparse_csr else X).index_select(1, columns)
        check_is_fitted(self)
        if isinstance(X, Source):
            return self._read_selected(X, "X").numpy()
        if self._finds_columns_in(X):
            selected = take_columns(X, self.get_feature_names_out())
            self._read_selected(selected, "X")
            # scikit-learn converts an array to the container of set_output, but not its types.
            keeps_types = self._output_container == type(X).__module__.partition(".")[0]
            return selected if keeps_types else np.asarray(selected)
        with as_input_error():
            return super().transform(X)

    @property
    def _output_container(self) -> str:
        """The container that ``set_output`` asked for: "default", "pandas" or "polars"."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        return str(own or get_config()["transform_output"])

    def with_run(self, run: int) -> Self:
        """Return a copy of the fitted selector that predicts with another of its runs."""
        check_is_fitted(self)
        if not 0 <= run < len(self.selections_):
            raise InputError(f"There is no run {run}: expected 0 to {len(self.selections_) - 1}.")
        if not np.isfinite(self.validation_loss_[run]):
            raise InputError(f"Run {run} diverged and was excluded: choose another.")
        other = copy.copy(self)
        other.best_run_ = run
        return other

    @property
    def _known_method(self) -> Method:
        """The method, or the one that ``method="auto"`` chose."""
        return arguments.method_for(getattr(self, "method_", self.method), None, self._task)

    @property
    def other_seeds_(self) -> NDArray[np.float64]:
        """Fraction of the other runs that selected each feature. Shape: (n_features,).

        The best run, whose features are the selected ones, does not count. NaN if there are no
        other runs, or if the method does not depend on the seed. Agreement of seeds says nothing
        about other rows.
        """
        best, selections = self.best_run_, self.selections_
        usable = np.isfinite(self.validation_loss_)
        others = [s.support() for r, s in enumerate(selections) if usable[r] and r != best]
        if not others or not self._known_method.random:
            return np.full(len(selections[best].probability), np.nan)
        return np.mean(others, axis=0)

    def chance_test(self, X: Any, y: Any = None, **options: Any) -> ChanceTest:
        """Test whether this selection is better than chance; see :func:`ipcae.chance_test`."""
        from ipcae.estimators.chance import chance_test

        return chance_test(self, X, y, **options)
