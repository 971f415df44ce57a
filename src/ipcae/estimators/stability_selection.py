"""Selections from subsamples of the rows, and their consensus."""

from __future__ import annotations

import time
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import InputError, warn
from ipcae.estimators import arguments, fitting, folds
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.delegation import DelegatingSelector
from ipcae.estimators.settings import Settings
from ipcae.estimators.variants import Variant, fit_variants
from ipcae.evaluation.stability import (
    StabilityIndex,
    clusters,
    consensus,
    expected_false,
    stability_index,
)
from ipcae.training import Phase


class StabilitySelection(DelegatingSelector):
    """Select the features that are selected from most subsamples of the rows.

    Features are selected from complementary pairs of subsamples, each half of the rows (Shah and
    Samworth, 2013), all trained as one batch. The consensus are the K features that are selected
    most often; a decoder is then trained on them with all rows.

    Parameters
    ----------
    estimator : selector
        A :class:`ClassificationSelector`, :class:`RegressionSelector` or other selector, whose
        ``n_features_to_select`` is K. Its ``n_runs`` is used for the final decoder only.
    n_subsamples : int, default=100
        Number of subsamples, an even number.
    threshold : float, default=0.75
        Fraction of the subsamples from which a feature counts as stable, more than 0.5.
    correlated : float, default=0.8
        Absolute correlation from which features are reported as a cluster.
    verbose : int, default=0
        1 shows a progress line on standard error.

    Attributes
    ----------
    frequency_ : ndarray of shape (n_features,)
        Fraction of the subsamples from which each feature was selected.
    stability_ : StabilityIndex
        Nogueira's index: 1 if all selections are equal, 0 if they are random, with an approximate
        95 % confidence interval.
    stable_ : ndarray of shape (n_features,)
        Mask of the features whose frequency is at least the threshold.
    expected_false_ : float
        Upper bound on the expected number of irrelevant features among ``stable_``.
    consensus_ : ndarray of shape (K,)
        The features selected most often, best first.
    clusters_ : list of list of int
        Groups of often selected features that are highly correlated: their frequencies are divided
        between them.
    selected_ : ndarray of shape (n_subsamples, n_features)
        The selection of every subsample; two consecutive ones have no row in common.
    selector_ : selector
        The estimator, trained on the consensus with all rows.
    fit_seconds_ : float

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

    def __init__(
        self,
        estimator: Any,
        *,
        n_subsamples: int = 100,
        threshold: float = 0.75,
        correlated: float = 0.8,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.n_subsamples = n_subsamples
        self.threshold = threshold
        self.correlated = correlated
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Select features from subsamples, and train a decoder on their consensus.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit`` of the estimator
        """
        self._check()
        start = time.perf_counter()
        selector = _quick(self._selector(), Settings.of(self._selector()))
        settings = Settings.of(selector)
        table = fitting.read_table(selector, X, y, sample_weight)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(selector, name):
                setattr(self, name, getattr(selector, name))
        seeds = fitting.Seeds.draw(selector.random_state, self.n_subsamples)
        strata = table.task.strata(table.rows.targets)
        halves = complementary_halves(len(table.rows), self.n_subsamples, strata, seeds.split)
        learned = folds.validation_rows(
            [(half, half[:0]) for half in halves],
            settings.validation_fraction,
            strata,
            None,
            seeds.split,
        )
        variants = [
            Variant(train, validate, table.n_selected, seed)
            for (train, validate), seed in zip(learned, seeds.runs, strict=True)
        ]
        fitted = fit_variants(selector, table, variants, seeds.order)
        done = [each.selector for each in fitted if each is not None]
        self._summarize(done, table)
        self.fit_seconds_ = time.perf_counter() - start
        self.selector_ = self._decoded(X, y, sample_weight)
        return self

    def _summarize(self, fitted: list[NeuralSelector], table: Any) -> None:
        usable = [each for each in fitted if np.isfinite(each.validation_loss_[each.best_run_])]
        if len(usable) < 2:
            raise InputError("Training diverged in almost every subsample: scale the data.")
        if len(usable) < self.n_subsamples:
            warn(f"Only {len(usable)} of {self.n_subsamples} subsamples were used.")
        self.selected_ = np.stack([each.get_support() for each in usable])
        self.frequency_ = self.selected_.mean(0)
        self.stability_ = stability_index(self.selected_)
        self.stable_ = self.frequency_ >= self.threshold
        n_selected = float(self.selected_.sum(1).mean())
        self.expected_false_ = expected_false(self.frequency_, n_selected, self.threshold)
        strength = np.mean([each.selection_.probability for each in usable], axis=0)
        order = consensus(self.frequency_, strength, len(self.frequency_))
        included = np.array(table.constraints.included, dtype=np.int64)
        rest = order[~np.isin(order, included)]
        self.consensus_ = np.concatenate([included, rest])[: table.n_selected]
        often = np.flatnonzero(self.frequency_ >= 0.1)
        inputs = table.rows.inputs.double().cpu().numpy()
        self.clusters_ = clusters(inputs, often, self.correlated)

    def _decoded(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Train the estimator's decoder on the consensus, with all rows."""
        final = self._selector().set_params(
            n_features_to_select=len(self.consensus_), include=self.consensus_.tolist()
        )
        targets = () if y is None else (y,)
        final.fit(X, *targets, sample_weight=sample_weight)
        final.frequency_ = self.frequency_
        return final

    def _check(self) -> None:
        n_subsamples = arguments.positive(self.n_subsamples, "n_subsamples")
        if n_subsamples % 2:
            raise InputError(
                f"n_subsamples={n_subsamples} is odd: expected an even number, because subsamples "
                "come in pairs."
            )
        if not 0.5 < self.threshold <= 1:
            raise InputError(
                f"threshold={self.threshold!r} is not understood: expected more than 0.5 and at "
                "most 1."
            )

    def report(self, path: Any, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Write a report, which includes the frequency of every feature."""
        return super().report(path, X, y, **{"stability": self, **options})

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "selector_")

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the score of the decoder on the consensus."""
        targets = () if y is None else (y,)
        return float(self._fitted().score(X, *targets, sample_weight=sample_weight))


def complementary_halves(
    n_rows: int, n_subsamples: int, strata: NDArray[Any] | None, seed: int
) -> list[NDArray[np.int64]]:
    """Return pairs of disjoint halves of the rows, stratified if possible.

    >>> [half.tolist() for half in complementary_halves(4, 2, None, seed=0)]
    [[1, 2], [0, 3]]
    """
    random = np.random.default_rng(seed)
    size = n_rows // 2
    halves = []
    for _ in range(n_subsamples // 2):
        keys = random.permutation(n_rows)
        if strata is not None:
            # Alternate within every class; which half gets the odd row is random.
            order = np.lexsort((keys, strata))
            place = np.empty(n_rows, dtype=np.int64)
            place[order] = np.arange(n_rows)
            keys = (place % 2) * n_rows + keys
        order = np.argsort(keys, kind="stable")
        halves += [np.sort(order[:size]), np.sort(order[size : 2 * size])]
    return halves


def _quick(selector: NeuralSelector, settings: Settings) -> NeuralSelector:
    """Leave out what does not change the selection: other seeds, fine-tuning, decoders."""
    selector.set_params(n_runs=1, fine_tune=False)
    if Phase.RANKING in settings.method.phases:
        selector.set_params(max_epochs=1)
    return selector
