"""Selections from subsamples of the rows, and their consensus."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted

from ipcae.arrays import Floats, Integers
from ipcae.errors import InputError, invalid_argument
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.delegation import DelegatingSelector, known_metadata
from ipcae.estimators.many_fits.method_comparison import compare_methods
from ipcae.estimators.many_fits.subsamples import fit_subsamples
from ipcae.estimators.one_fit import arguments, streaming
from ipcae.estimators.one_fit.fitting import choose_method
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table, read_table
from ipcae.evaluation.row_stability import RowStability
from ipcae.evaluation.sample import Sample
from ipcae.evaluation.stability import StabilityIndex, clusters, expected_false, stability_index
from ipcae.selectors import Method
from ipcae.sources import StreamedRows
from ipcae.torch_settings import with_default_torch_settings
from ipcae.training import Phase

BOUNDS = ("worst-case", "unimodal")
OFTEN = 0.1
"""Features with at least this frequency are clustered."""


class StabilitySelection(DelegatingSelector):
    """Select the features that are selected from most subsamples of the rows.

    Features are selected from complementary pairs of subsamples, each half of the rows (Shah and
    Samworth, 2013), all trained as one batch. The consensus consists of the K features that are
    selected most often; a decoder is then trained on them with all rows.

    Parameters
    ----------
    estimator : selector
        A :class:`ClassificationSelector`, :class:`RegressionSelector` or other selector, whose
        ``n_features_to_select`` is K. Its ``n_runs`` is used for the final decoder only.
    n_subsamples : int, default=100
        Number of subsamples, an even number.
    threshold : float, default=0.75
        Fraction of the subsamples from which a feature counts as stable, more than 0.5.
    bound : {"worst-case", "unimodal"}, default="worst-case"
        Which bound on the number of irrelevant stable features: "unimodal" is smaller, and holds if
        the frequencies of irrelevant features have a single peak.
    correlated : float, default=0.8
        Absolute correlation from which features are reported as a cluster.
    refit : bool, default=True
        Whether to train a decoder on the consensus with all rows. Without one, ``predict``,
        ``transform`` and ``save`` are not available.
    verbose : int, default=0
        1 shows a progress line on standard error.

    Attributes
    ----------
    frequency_ : ndarray of shape (n_features,)
        Fraction of the subsamples from which each feature was selected.
    stability_ : StabilityIndex
        Nogueira's index: 1 if all selections are equal, 0 if they are random, with an approximate
        95 % confidence interval. Features that are included or excluded do not count, and the
        features of a group count once.
    stable_ : ndarray of shape (n_features,)
        Mask of the features whose frequency is at least the threshold.
    expected_false_ : float
        Upper bound on the expected number of irrelevant features among ``stable_``. The features of
        a group count once.
    consensus_ : ndarray of shape (K,)
        The features selected most often, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, starting at 1: the consensus first, both parts by frequency.
    clusters_ : list of list of int
        Groups of frequently selected features that are highly correlated and share their frequency.
    selected_ : ndarray of shape (n_subsamples, n_features)
        The selection of every subsample; two consecutive ones have no row in common.
    rows_ : RowStability
        All of this, with a ``sentence``, for reports.
    selector_ : selector
        The estimator, trained on the consensus with all rows.
    support_ : ndarray of shape (n_features,)
        Mask of the consensus.
    fit_seconds_ : float
        Duration of the selections from subsamples.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if X has string column names.
    classes_ : ndarray of shape (n_classes,)
        Only for classifiers.

    See Also
    --------
    SelectorCV : Choose the number of features by cross-validation.
    select_with_fdr : Select features at a false discovery rate.
    ipcae.plots.StabilityDisplay : How often features are selected from other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ipcae import ClassificationSelector, StabilitySelection
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = ClassificationSelector(4, method="anova", max_epochs=5, random_state=0)
    >>> stability = StabilitySelection(selector, n_subsamples=20).fit(X, y)
    >>> stability.transform(X).shape, stability.stability_.value > 0.8
    ((569, 4), True)
    """

    stability_: StabilityIndex

    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any,
        *,
        n_subsamples: int = 100,
        threshold: float = 0.75,
        bound: str = "worst-case",
        correlated: float = 0.8,
        refit: bool = True,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.n_subsamples = n_subsamples
        self.threshold = threshold
        self.bound = bound
        self.correlated = correlated
        self.refit = refit
        self.verbose = verbose

    @with_default_torch_settings
    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **params: Any) -> Self:
        """Select features from subsamples, and train a decoder on their consensus.

        Parameters
        ----------
        X, y : as in ``fit`` of the estimator
        groups : array of shape (n_rows,), optional
            Groups of rows, such as those of one patient: a group is never divided.
        **params : dict
            ``sample_weight`` for the estimator; with metadata routing, what it requests.
        """
        self._check()
        start = time.perf_counter()
        given = self._routed(groups, params)
        selector = self._selector()
        weight = given.get("sample_weight")
        if arguments.is_auto(selector.method):
            best, self.comparison_ = compare_methods(selector, X, y, weight, groups)
            selector.set_params(method=best)
        settings = Settings.of(selector)
        X = streaming.streamed(X)
        table = read_table(selector, X, y, weight, groups)
        settings = choose_method(selector, settings, table)
        method = selector.method_ if selector.method is None else selector.method
        final = self._selector().set_params(method=method)
        _without_decoders(selector.set_params(method=method), settings.method)
        self._copy_columns(selector)
        fitted = fit_subsamples(selector, table, self.n_subsamples, y, weight)
        self._summarize(fitted, table)
        self.fit_seconds_ = time.perf_counter() - start
        self.__dict__.pop("selector_", None)
        if self.refit:
            n_units = len(np.unique(table.constraints.unit_of[self.consensus_]))
            final.set_params(n_features_to_select=n_units, include=self.consensus_.tolist())
            self.selector_ = final.fit(X, y, **given)
            self.selector_.row_stability_ = self.rows_
            # The decoder was given its columns; they were ranked by their frequency.
            score = (self.frequency_ / self.frequency_.max()).astype(np.float32)
            self.selector_.selections_ = [
                replace(each, probability=score, measure="score")
                for each in self.selector_.selections_
            ]
            # The user did not include the columns of the consensus.
            self.selector_.constraints_ = table.constraints
            if hasattr(self, "comparison_"):
                self.selector_.comparison_ = self.comparison_
        return self

    def _summarize(self, fitted: list[NeuralSelector], table: Table) -> None:
        self.selected_ = np.stack([each.get_support() for each in fitted])
        self.frequency_ = self.selected_.mean(0)
        given = table.constraints
        # Included and excluded features are the same in every selection, even in random ones.
        chosen = self.selected_[:, given.first_columns(given.candidates)]
        self.stability_ = stability_index(chosen)
        self.stable_ = self.frequency_ >= self.threshold
        self.expected_false_ = expected_false(
            max(chosen.shape[1], 1),
            float(chosen.sum(1).mean()),
            self.threshold,
            len(fitted) // 2 if self.bound == "unimodal" else None,
        )
        # Among features of the same frequency, the stronger ones come first.
        strength = np.mean([each.selection_.probability for each in fitted], axis=0)
        units = given.best(given.units.largest(self.frequency_ + 1e-6 * strength), table.n_selected)
        self.consensus_ = given.columns(units)
        self.clusters_ = clusters(*self._often_selected(table), self.correlated)
        self.rows_ = RowStability(
            self.frequency_,
            self.consensus_,
            tuple(map(tuple, self.clusters_)),
            (self.stability_.value, self.stability_.low, self.stability_.high),
            len(fitted),
            float(self.threshold),
            self.expected_false_,
            given.groups,
        )

    @property
    def ranking_(self) -> Integers:
        """Rank of every feature, starting at 1."""
        check_is_fitted(self)
        others = ~np.isin(np.arange(len(self.frequency_)), self.consensus_)
        ties = self.selector_.ranking_ if self.refit else np.arange(len(others))
        return np.argsort(np.lexsort((ties, -self.frequency_, others))) + 1

    def _often_selected(self, table: Table) -> tuple[Floats, Integers]:
        """Return values and features that are often selected.

        Categories are left out, because their values have no order. Shape: -> (N, F), (F,).
        """
        often = self.frequency_ >= OFTEN
        if table.encoding is not None:
            codings = table.encoding.codings
            often &= [not (c.has_indicators and len(c.levels) > 2) for c in codings]
        features = np.flatnonzero(often)
        if isinstance(table.rows, StreamedRows):
            return table.rows.source.columns(features).double().numpy(), features
        return Sample(table.rows).numbers().cpu().numpy()[:, features], features

    def _check(self) -> None:
        n_subsamples = arguments.positive(self.n_subsamples, "n_subsamples")
        if n_subsamples % 2:
            raise InputError(
                f"n_subsamples={n_subsamples} is odd: expected an even number, because subsamples "
                "come in pairs."
            )
        if not 0.5 < self.threshold <= 1:
            raise invalid_argument("threshold", self.threshold, "more than 0.5 and at most 1")
        if not 0 < self.correlated <= 1:
            raise invalid_argument(
                "correlated", self.correlated, "a correlation, more than 0 and at most 1"
            )
        if self.bound not in BOUNDS:
            raise invalid_argument("bound", self.bound, f"one of {BOUNDS}")

    def report(self, path: Any, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Write a report, which includes the frequency of every feature."""
        return super().report(path, X, y, **{"stability": self.rows_, **options})

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rows_") and (not self.refit or hasattr(self, "selector_"))

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Return the score of the decoder on the consensus."""
        if _routing_enabled():
            params = process_routing(self, "score", **params).estimator.score
        return float(self._fitted().score(X, y, **params))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata this object and the estimator request."""
        methods = (
            MethodMapping().add(caller="fit", callee="fit").add(caller="score", callee="score")
        )
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=methods)

    def _routed(self, groups: Any, params: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of the estimator's ``fit``."""
        given = {"groups": groups, **params}
        if _routing_enabled():
            given = {name: value for name, value in given.items() if value is not None}
            return dict(process_routing(self, "fit", **given).estimator.fit)
        return known_metadata(given)


def _without_decoders(selector: NeuralSelector, method: Method) -> None:
    """Leave out what does not change the selection: other seeds, and the training of decoders."""
    selector.set_params(n_runs=1, fine_tune=False)
    if not {Phase.SELECTING, Phase.SCREENING} & set(method.phases):
        selector.set_params(max_epochs=1)
