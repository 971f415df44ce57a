"""Base of estimators that delegate selection and prediction to a fitted selector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ipcae import files
from ipcae.arrays import Booleans, Floats, Integers
from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.mixins.notebook import ShownInNotebooks
from ipcae.estimators.mixins.selected_features import output_container
from ipcae.evaluation.estimator_checks import require_selector

_Method = TypeVar("_Method", bound=Callable[..., Any])


def if_selector_has(name: str, parameter: str = "estimator") -> Callable[[_Method], _Method]:
    """Let a method exist only if the selector also has it, fitted or as it was given."""

    def check(self: Any) -> bool:
        return hasattr(getattr(self, "selector_", getattr(self, parameter)), name)

    return cast(Callable[[_Method], _Method], available_if(check))


def with_kind_of(estimator: Any, tags: Any) -> Any:
    """Return the tags with those that say whether the estimator is a classifier or a regressor."""
    own = get_tags(estimator)
    tags.estimator_type, tags.target_tags = own.estimator_type, own.target_tags
    tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
    return tags


def known_metadata(params: dict[str, Any]) -> dict[str, Any]:
    """Return the groups and sample weights that ``fit`` was given; raise an error for others."""
    given = {name: value for name, value in params.items() if value is not None}
    for name in given:
        if name not in ("groups", "sample_weight"):
            raise InputError(f"fit does not take {name!r}: expected groups or sample_weight.")
    return given


class DelegatingSelector(MetaEstimatorMixin, SelectorMixin, ShownInNotebooks):
    """Base class of estimators that fit ``selector_``, a copy of ``estimator``."""

    estimator: Any
    verbose: int
    selector_: NeuralSelector

    def _selector(self) -> NeuralSelector:
        """Return an unfitted copy of the estimator, which shows the progress if asked to."""
        estimator = cast(NeuralSelector, self.estimator)
        own = type(self).__name__
        more = f". {own} can be a step of a pipeline, and the selector of a ChannelSelector"
        require_selector(estimator, more)
        if estimator.checkpoint is not None:
            raise InputError(
                f"{own} cannot resume a training: expected an estimator without checkpoint."
            )
        selector = estimator._unfitted()
        return selector.set_params(verbose=self.verbose) if self.verbose else selector

    def _copy_columns(self, selector: NeuralSelector) -> None:
        """Set the attributes about the columns of X, given a selector that read them."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(selector, name):
                setattr(self, name, getattr(selector, name))

    @property
    def support_(self) -> Booleans:
        """Mask of the selected features."""
        return self._get_support_mask()

    @property
    def ranking_(self) -> Integers:
        """Rank of every feature, starting at 1."""
        return self._fitted().ranking_

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels."""
        return self._fitted().classes_

    def _fitted(self) -> Any:
        check_is_fitted(self)
        if not hasattr(self, "selector_"):
            raise InputError(
                "With refit=False, no decoder is trained on all rows: pass refit=True."
            )
        return self.selector_

    def _get_support_mask(self) -> Booleans:
        return self._fitted().get_support()

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X."""
        return self._fitted()._transformed(X, output_container(self))

    @if_selector_has("predict")
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of every row with the fitted selector."""
        return self._fitted().predict(X)

    @if_selector_has("predict_proba")
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of every class."""
        return self._fitted().predict_proba(X)

    @if_selector_has("predict_survival_function")
    def predict_survival_function(self, X: Any, times: Any = None) -> Floats:
        """Return the probability that a row has no event up to each time."""
        return self._fitted().predict_survival_function(X, times)

    @if_selector_has("reconstruct")
    def reconstruct(self, X: Any) -> Floats:
        """Reconstruct all columns from the selected ones."""
        return self._fitted().reconstruct(X)

    def save(self, path: Any) -> None:
        """Save the fitted selector; :func:`ipcae.load` returns it, with its ``cv_results_``."""
        files.save(self._fitted(), path)

    def to_onnx(self, path: Any, input: str = "selected", *, dtype: str = "float32") -> None:
        """Export the fitted selector to ONNX."""
        self._fitted().to_onnx(path, input, dtype=dtype)

    def to_torch(self, input: str = "all") -> Any:
        """Return an ``nn.Module`` that predicts as the fitted selector."""
        return self._fitted().to_torch(input)

    def report(self, path: Any, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Write a report about the fitted selector."""
        return self._fitted().report(path, X, y, **options)

    def __sklearn_tags__(self) -> Any:
        tags = with_kind_of(self.estimator, super().__sklearn_tags__())
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
