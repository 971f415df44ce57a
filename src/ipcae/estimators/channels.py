"""Selection of channels from multichannel time series."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from ipcae import files
from ipcae.arrays import Floats, Integers
from ipcae.errors import InputError
from ipcae.estimators.delegation import if_selector_has, with_kind_of
from ipcae.evaluation.estimator_checks import require_selector
from ipcae.sources import ArraySource
from ipcae.tables.tensors import as_array, without_mask
from ipcae.text import count, listed


class ChannelSelector(MetaEstimatorMixin, BaseEstimator):
    """Select whole channels of time series, such as sensors, with any selector.

    All time steps of a channel are one group of features, selected together or not at all.

    Parameters
    ----------
    selector : selector
        Such as ``ClassificationSelector(2)``; its ``n_features_to_select`` counts channels. Its
        ``include`` and ``exclude`` may name channels. :class:`SelectorCV` and
        :class:`StabilitySelection` choose the number of channels, and those that are stable.
    channel_names : sequence of str, default=None
        By default "channel 0", "channel 1", …

    Attributes
    ----------
    selector_ : selector
        The fitted selector of the flattened series, of shape (n_cases, n_channels · n_times).
    channels_ : ndarray of shape (K,)
        Indices of the selected channels, the most important first.
    ranking_ : ndarray of shape (n_channels,)
        Rank of every channel, starting at 1.
    n_channels_in_, n_times_in_ : int
        The shape of a case in ``fit``.
    classes_ : ndarray of shape (n_classes,)
        Only for classifiers.

    See Also
    --------
    ClassificationSelector : Predict classes from the selected features.
    RegressionSelector : Predict numbers from the selected features.

    Examples
    --------
    >>> from ipcae import ClassificationSelector
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(120, 4, 10))
    >>> y = X[:, 2].mean(1) > 0
    >>> selector = ChannelSelector(ClassificationSelector(1, max_epochs=30, random_state=0))
    >>> selector.fit(X, y).channels_
    array([2])
    >>> selector.transform(X).shape
    (120, 1, 10)
    """

    selector_: Any
    channels_: Integers

    def __init__(self, selector: Any, channel_names: Sequence[str] | None = None):
        self.selector = selector
        self.channel_names = channel_names

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Select channels and train a decoder on their time steps.

        Parameters
        ----------
        X : array or tensor of shape (n_cases, n_channels, n_times)
        y : target, as the selector expects it
        sample_weight : array of shape (n_cases,), optional
        groups : array of shape (n_cases,), optional
            Cases that belong together, such as the trials of a subject: whole groups are held out
            for validation.
        """
        series = _checked(X)
        _, n_channels, n_times = series.shape
        names = self._names(n_channels)
        inner = getattr(self.selector, "estimator", self.selector)
        require_selector(inner, ", a SelectorCV or a StabilitySelection", "selector")
        if getattr(inner, "feature_groups", None) is not None:
            raise InputError(
                "The selector has feature_groups, but the channels are the groups here: "
                "remove them."
            )
        if getattr(inner, "missing", None) != "impute":
            _refuse_missing(series, names)
        channels = np.repeat(np.array(names), n_times)
        name = "feature_groups" if inner is self.selector else "estimator__feature_groups"
        selector = clone(self.selector).set_params(**{name: channels})
        given = {"sample_weight": sample_weight, "groups": groups}
        selector.fit(_flat(series), y, **_without_none(given))
        return self._complete(selector, n_channels, n_times)

    def _complete(self, fitted: Any, n_channels: int, n_times: int) -> Self:
        """Set the fitted attributes, given the fitted selector of the flattened series."""
        self.selector_ = fitted
        self.n_channels_in_, self.n_times_in_ = n_channels, n_times
        first = self.selector_.ranking_.reshape(n_channels, n_times).min(1)
        self.ranking_ = rankdata(first, method="ordinal")
        selected = self.selector_.get_support().reshape(n_channels, n_times).any(1)
        self.channels_ = np.array([c for c in np.argsort(self.ranking_) if selected[c]])
        return self

    def save(self, path: str | Path) -> None:
        """Save to a file, which :func:`ipcae.load` reads without running any code."""
        check_is_fitted(self)
        flat = copy(self._fitted)
        flat.channel_names_ = self._names(self.n_channels_in_)
        files.save(flat, path)

    @classmethod
    def restored(cls, flat: Any) -> Self:
        """Return the selector of channels that :meth:`save` has stored as one of flat series."""
        names = flat.channel_names_
        n_times, rest = divmod(flat.n_features_in_, len(names))
        if rest:
            raise ValueError("the channels do not match the features")
        del flat.channel_names_
        given = clone(flat).set_params(feature_groups=None)
        return cls(given, names)._complete(flat, len(names), n_times)

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return a mask of the selected channels, or their indices."""
        check_is_fitted(self)
        mask = np.isin(np.arange(self.n_channels_in_), self.channels_)
        return np.flatnonzero(mask) if indices else mask

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the selected channels; ``input_features`` is ignored."""
        check_is_fitted(self)
        return np.array(self._names(self.n_channels_in_), dtype=object)[self.get_support()]

    def report(self, path: str | Path, X: Any = None, y: Any = None, **options: Any) -> Path:
        """Write an HTML report, in which features are named by their channel and time step.

        With X and y, ideally cases not used in ``fit``, the report includes metrics. The options
        are those of :func:`ipcae.report.report_html`; ``X_train`` are also series.
        """
        check_is_fitted(self)
        channels = self._names(self.n_channels_in_)
        names = [f"{name}[{step}]" for name in channels for step in range(self.n_times_in_)]
        if options.get("X_train") is not None:
            options["X_train"] = ArraySource(_flat(self._series(options["X_train"])), names)
        chosen = listed([channels[channel] for channel in self.channels_])
        title = f"{len(self.channels_)} of {self.n_channels_in_} channels: {chosen}"
        named = copy(self._fitted)
        named.feature_names_in_ = np.array(names, dtype=object)
        rows = None if X is None else ArraySource(_flat(self._series(X)), names)
        return named.report(path, rows, y, **{"title": title, **options})

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the selected channels. Shape: (N, C, T) -> (N, K, T)."""
        return self._series(X)[:, self.get_support()]

    @if_selector_has("predict", "selector")
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of every case."""
        return self.selector_.predict(_flat(self._series(X)))

    @if_selector_has("predict_proba", "selector")
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of every class."""
        return self.selector_.predict_proba(_flat(self._series(X)))

    @if_selector_has("predict_survival_function", "selector")
    def predict_survival_function(self, X: Any, times: Any = None) -> Floats:
        """Return the probability that a case has no event up to each time."""
        return self.selector_.predict_survival_function(_flat(self._series(X)), times)

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels."""
        return self.selector_.classes_

    def __sklearn_tags__(self) -> Any:
        tags = with_kind_of(self.selector, super().__sklearn_tags__())
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        return tags

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the score of the selector."""
        rows = _flat(self._series(X))
        return self.selector_.score(rows, y, **_without_none({"sample_weight": sample_weight}))

    @property
    def _fitted(self) -> Any:
        """The selector itself, or the one that SelectorCV or StabilitySelection has fitted."""
        return getattr(self.selector_, "selector_", self.selector_)

    def _names(self, n_channels: int) -> list[str]:
        """Return one name per channel, or raise an error."""
        if self.channel_names is None:
            return [f"channel {i}" for i in range(n_channels)]
        names = [str(name) for name in self.channel_names]
        if len(names) != n_channels or len(set(names)) != n_channels:
            raise InputError(
                f"X has {n_channels} channels, but channel_names has {len(set(names))} different "
                "names: expected one name per channel, all different."
            )
        return names

    def _series(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        series = _checked(X)
        if series.shape[1:] != (self.n_channels_in_, self.n_times_in_):
            raise InputError(
                f"X has {series.shape[1]} channels of {series.shape[2]} time steps, but the "
                f"selector was fitted to {self.n_channels_in_} of {self.n_times_in_}."
            )
        return series


def _checked(X: Any) -> NDArray[Any]:
    try:
        series = np.asarray(without_mask(as_array(X, "X")))
    except ValueError as error:
        raise InputError(
            "X has series of different lengths, or cases with different channels: expected numbers "
            "in three dimensions, cases, channels and time. Cut or pad the series to one length."
        ) from error
    if series.ndim != 3 or 0 in series.shape or series.dtype.kind not in "biuf":
        raise InputError(
            f"X is an array of {series.dtype} of shape {series.shape}: expected numbers in three "
            "dimensions, cases, channels and time. Series of different lengths must be cut, or "
            "padded, to the same length."
        )
    return series


def _refuse_missing(series: NDArray[Any], names: list[str]) -> None:
    n_missing = np.isnan(series).sum((0, 2))
    if n_missing.any():
        where = [f"{name}: {n}" for name, n in zip(names, n_missing, strict=True) if n]
        raise InputError(
            f"X contains {count(int(n_missing.sum()), 'missing value')} (NaN) in "
            f"{count(len(where), 'channel')} ({listed(where)}): interpolate over time first, or "
            "fit a selector with missing='impute'."
        )


def _without_none(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _flat(series: NDArray[Any]) -> NDArray[Any]:
    return series.reshape(len(series), -1)
