"""The base class of the selectors."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.errors import InputError
from ipcae.estimators.mixins.notebook import ShownInNotebooks
from ipcae.estimators.mixins.outputs import Outputs
from ipcae.estimators.mixins.selected_features import SelectedFeatures
from ipcae.estimators.mixins.sklearn_callbacks import CallbackSupport, with_callbacks
from ipcae.estimators.nested_parameters import with_parameter
from ipcae.estimators.one_fit import arguments, fitting
from ipcae.estimators.one_fit.memory import MemoryEstimate, Sizes, estimate, units_of
from ipcae.estimators.one_fit.settings import Settings
from ipcae.evaluation import ChanceTest
from ipcae.losses import Loss
from ipcae.selectors import Method, Shape, method_named, recommended
from ipcae.tasks import Task
from ipcae.torch_settings import with_default_torch_settings
from ipcae.training.states.history import HistoryColumns
from ipcae.training.states.state import INTERRUPTED


class NeuralSelector(CallbackSupport, Outputs, SelectedFeatures, ShownInNotebooks):
    """Base class of the selectors. Should not be used directly."""

    _task: type[Task]
    _other_tasks: tuple[type[Task], ...] = ()  # that another loss stands for
    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    method_: str | Method
    method_reason_: str
    constraints_: Constraints
    run_seeds_: list[int]
    run_status_: list[str]
    best_epoch_: list[int]
    history_: HistoryColumns
    fit_seconds_: float
    decoders_: list[str]

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
        refit: bool | str = True,
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

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this selector and of its parts, such as ``decoder__dropout=0.1``.

        Parameters
        ----------
        **params
            Parameters by name. Those of a part that was passed as an object, such as
            ``decoder=Mlp()`` or ``method=Concrete()``, have the name of the part before them:
            ``decoder__dropout``, ``method__temperature__end``.

        Returns
        -------
        self
        """
        super().set_params(**{name: value for name, value in params.items() if "__" not in name})
        for name, value in params.items():
            part, nested, rest = name.partition("__")
            if nested:
                given = self.get_params(deep=False)
                if part not in given:
                    super().set_params(**{part: value})  # raises scikit-learn's error
                super().set_params(**{part: with_parameter(given[part], rest, value, part)})
        return self

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
        method = settings.method
        if self.method is None:
            method = method_named(recommended(self._task, n_rows, n_features).method)
        settings = settings.for_table(self, method, self._task, (n_rows, n_features), constraints)
        shape = Shape(settings.decoder, n_features, n_selected, n_outputs, constraints)
        sizes = Sizes.of(settings, shape, n_rows, np.dtype(dtype).itemsize)
        return estimate(method, sizes, settings.device)

    @with_callbacks
    @with_default_torch_settings
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

    def with_run(self, run: int) -> Self:
        """Return a copy of the fitted selector that predicts with another of its runs.

        Parameters
        ----------
        run : int
            Number of the run, from 0 to ``n_runs`` - 1.

        Returns
        -------
        selector
            A copy with this ``best_run_``. The trained tensors are shared.
        """
        check_is_fitted(self)
        if not 0 <= run < len(self.selections_):
            raise InputError(f"There is no run {run}: expected 0 to {len(self.selections_) - 1}.")
        if not np.isfinite(self.validation_loss_[run]):
            raise InputError(f"Run {run} diverged and was excluded: choose another.")
        other = copy.copy(self)
        other.best_run_ = run
        return other

    def _unfitted(self, **params: Any) -> Self:
        """Return an unfitted copy with other arguments.

        Callbacks are shared, not copied: they may hold locks or open files.
        """
        bare = copy.copy(self)
        bare.callbacks = None
        return clone(bare).set_params(**{"callbacks": self.callbacks, **params})

    def _single_run(self, **params: Any) -> Self:
        """Return an unfitted copy with a single run, without callbacks and without checkpoint."""
        rate = self.learning_rate
        return self._unfitted(
            n_runs=1,
            learning_rate=rate if np.ndim(rate) == 0 else rate[0],
            callbacks=None,
            checkpoint=None,
            resume=False,
            **params,
        )

    @property
    def _best_loss(self) -> float:
        """The validation loss of the best run; infinite if it diverged."""
        return float(self.validation_loss_[self.best_run_])

    @property
    def _interrupted(self) -> bool:
        """Whether the training was interrupted with Ctrl-C."""
        return INTERRUPTED in self.run_status_

    @property
    def _known_method(self) -> Method:
        """The method, or the one that ``method="auto"`` chose."""
        check_is_fitted(self)
        return arguments.method_for(getattr(self, "method_", self.method), None, self._task)

    def chance_test(self, X: Any, y: Any = None, **options: Any) -> ChanceTest:
        """Test whether a selection with these settings is better than chance.

        The selector need not be fitted: new selectors are fitted to folds of the rows.

        Parameters
        ----------
        X, y :
            As for ``fit``.
        **options
            Other arguments of :func:`ipcae.chance_test`.

        Returns
        -------
        ChanceTest
            With ``p_value``, ``better`` and a ``sentence``.
        """
        from ipcae.estimators.chance import chance_test

        return chance_test(self, X, y, **options)
