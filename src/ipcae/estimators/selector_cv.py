"""Cross-validation of the number of features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    process_routing,
)

from ipcae.errors import invalid_argument, warn
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.delegation import DelegatingSelector, known_metadata
from ipcae.estimators.many_fits.attempt import Attempt
from ipcae.estimators.many_fits.cross_validation import CrossValidation, Results, choose
from ipcae.estimators.many_fits.folds import splitter_for
from ipcae.estimators.many_fits.method_comparison import MethodComparison
from ipcae.estimators.many_fits.number_search import SearchedNumbers, search_numbers
from ipcae.estimators.many_fits.scoring import Scorer
from ipcae.estimators.one_fit.arguments import is_auto
from ipcae.estimators.one_fit.fitting import BEST_OF_COMPARED
from ipcae.torch_settings import with_default_torch_settings

RULES = ("best", "one-standard-error")


class SelectorCV(DelegatingSelector):
    """Choose the number of features by cross-validation, and select that many.

    All folds, numbers of features and seeds are trained as one batch. In every fold, a part of
    the training rows (``validation_fraction`` of the estimator) chooses the epoch and the seed;
    the score is computed on the test rows, which are used for neither. The columns are scaled once,
    by all rows. The chosen number is then selected from all rows.

    With ``method="auto"`` of the estimator, several methods are cross-validated by the same folds,
    cheap ones first. For every number of features, the method with the best mean score is used; the
    rule then chooses the number. ``cv_results_["method"]`` has the methods, and
    ``selector_.comparison_`` compares them for the chosen number. The more expensive methods are
    skipped as soon as the smallest number of features is within one standard error of the largest
    possible score, 1.

    The best mean score is optimistic, because it was chosen. To estimate how well the whole
    procedure predicts new rows, pass this estimator to
    :func:`sklearn.model_selection.cross_validate`.

    Parameters
    ----------
    estimator : selector
        A :class:`ClassificationSelector`, :class:`RegressionSelector` or other selector. Its
        ``n_features_to_select`` is ignored.
    n_features_to_select : "auto", int, float or sequence of them, default="auto"
        The numbers of features to compare, or fractions of all features. "auto" compares 1, 2, 5,
        10, 20, 50 and 100, up to the number of features, but skips those above 10 if 10 is worse
        than a smaller number by two standard errors. With the default ``rule``, it then tries
        numbers between the chosen one and the next smaller one.
    cv : int, splitter or iterable, default=5
        Number of folds, a scikit-learn splitter, or pairs of training and test rows. With
        ``groups``, a number of folds keeps the rows of a group together.
    scoring : str, callable, list, tuple or dict, default=None
        One or several scikit-learn scores; by default the estimator's ``score``.
    rule : {"one-standard-error", "best"}, default="one-standard-error"
        "best" chooses the number of features with the best mean score, "one-standard-error" the
        smallest number whose mean score is within one standard error of the best.
    n_runs : int, default=None
        Number of seeds per fold and number of features; by default that of the estimator. The final
        selection from all rows has at least as many runs as the estimator.
    refit : bool or str, default=True
        Whether to select features from all rows with the chosen number. With several scores, the
        name of the one that decides.
    verbose : int, default=0
        1 shows a progress line on standard error.

    Attributes
    ----------
    n_features_ : int
        The chosen number of features.
    cv_results_ : dict of ndarray
        For every number of features, ``n_features``, and for every score ``mean_test_score``,
        ``std_test_score``, ``rank_test_score`` and ``split0_test_score``, …; with several scores,
        their names replace ``score``. ``split0_support``, …: the features selected in each fold.
        With ``method="auto"``, also ``method``, the best method.
    best_index_ : int
        Index of the chosen number of features in ``cv_results_``.
    best_score_ : float
        Its mean score.
    selector_ : selector
        The estimator, fitted with the chosen number of features on all rows.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, starting at 1.
    n_splits_ : int
    fit_seconds_ : float
        Duration of the cross-validation, without the final fit.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if X has string column names.
    classes_ : ndarray of shape (n_classes,)
        Only for classifiers.

    See Also
    --------
    StabilitySelection : How often features are selected from other rows.
    chance_test : Test whether a selection is better than chance.
    ipcae.plots.PathDisplay : The score by the number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector, SelectorCV
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(max_epochs=30, random_state=0)
    >>> search = SelectorCV(selector, n_features_to_select=[1, 5], cv=3).fit(X, y)
    >>> search.n_features_, search.transform(X).shape
    (5, (178, 5))
    """

    cv_results_: Results
    n_features_: int
    best_index_: int
    _searched: SearchedNumbers

    def __init__(
        self,
        estimator: Any,
        *,
        n_features_to_select: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "one-standard-error",
        n_runs: int | None = None,
        refit: bool | str = True,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_runs = n_runs
        self.refit = refit
        self.verbose = verbose

    @with_default_torch_settings
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Choose the number of features by cross-validation, and select that many.

        Parameters
        ----------
        X, y : as in ``fit`` of the estimator
        **params : dict
            ``groups`` for the splitter and the estimator, and ``sample_weight`` for the
            estimator; with metadata routing, what they and the scorer request.
        """
        if self.rule not in RULES:
            raise invalid_argument("rule", self.rule, f"one of {RULES}")
        routed = self._routed(params)
        selector = self._selector()
        scorer = Scorer.of(selector, self.scoring)
        decisive = scorer.decisive(self.refit)

        def attempt(method: Any) -> Attempt:
            validation = CrossValidation.plan(
                self._selector().set_params(method=method),
                X,
                y,
                counts=self.n_features_to_select,
                cv=self.cv,
                scorer=scorer,
                **{**routed.estimator.fit, **routed.splitter.split},
            )
            self._searched = self._search(validation, decisive, routed.scorer.score)
            return self._searched.every

        compared = MethodComparison.of(selector, attempt)
        self._copy_columns(compared.first.selector)
        self.fit_seconds_ = compared.seconds
        self.n_splits_ = len(compared.first.folds)
        self.cv_results_ = compared.results
        scores = self.cv_results_[f"mean_test_{decisive}"]
        if self._searched.every.interrupted and not np.isfinite(scores).any():
            raise KeyboardInterrupt  # before there was anything to choose from
        self.best_index_ = choose(self.cv_results_, decisive, self.rule)
        self.n_features_ = compared.first.counts[self.best_index_]
        self.best_score_ = float(self.cv_results_[f"mean_test_{decisive}"][self.best_index_])
        if self.refit is not False:
            self.selector_ = self._final(X, y, routed, compared.best[self.best_index_])
            self.selector_.cv_results_ = self.cv_results_
            if isinstance(self.scoring, str):
                self.selector_.cv_scoring_ = self.scoring
            if is_auto(self.estimator.method):
                self.selector_.method_reason_ = BEST_OF_COMPARED
                self.selector_.comparison_ = compared.scores(self.best_index_)
        return self

    def _search(
        self, validation: CrossValidation, score: str, params: dict[str, Any]
    ) -> SearchedNumbers:
        """Cross-validate the numbers of features; ``params`` are those of the scorer."""

        def compare(counts: list[int]) -> Attempt:
            return Attempt.of(validation.with_counts(counts), score, params)

        if is_auto(self.n_features_to_select) and not is_auto(self.estimator.method):
            return search_numbers(compare, validation.counts, self.rule)
        every = compare(validation.counts)
        return SearchedNumbers(every, every)

    def _selector(self) -> NeuralSelector:
        """Return an unfitted copy of the estimator, with the number of runs."""
        selector = super()._selector()
        return selector if self.n_runs is None else selector.set_params(n_runs=self.n_runs)

    def _final(self, X: Any, y: Any, routed: Any, folds_: list[NeuralSelector | None]) -> Any:
        """Fit the estimator with the chosen number of features on all rows.

        If the cross-validation was interrupted, return its best run with that number instead.
        """
        done = [each for each in folds_ if each is not None]
        if any(each._interrupted for each in done):
            warn(
                "The cross-validation was interrupted: the selection comes from the best of its "
                "folds so far, not from all rows."
            )
            return min(done, key=lambda each: each._best_loss)
        n_runs = max(self.n_runs or 1, self.estimator.n_runs)
        final = self._selector().set_params(n_features_to_select=self.n_features_, n_runs=n_runs)
        if done and (final.method is None or is_auto(final.method)):  # use the one of the folds
            final.set_params(method=done[0].method_)
        return final.fit(X, y, **routed.estimator.fit)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything but the selectors of the folds."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_searched"}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "cv_results_") and (self.refit is False or hasattr(self, "selector_"))

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Return the score that decides, for the fitted selector."""
        scorer = Scorer.of(self._fitted(), self.scoring)
        return scorer(self.selector_, X, y, **params)[scorer.decisive(self.refit)]

    chance_test = NeuralSelector.chance_test

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata the estimator, the splitter and the scorer request."""
        fit_to = MethodMapping().add(caller="fit", callee="fit")
        split_to = MethodMapping().add(caller="fit", callee="split")
        score_to = MethodMapping().add(caller="fit", callee="score")
        score_to.add(caller="score", callee="score")
        splitter = splitter_for(self.cv, None, False, None)
        router = MetadataRouter(owner=self)
        router.add(estimator=self.estimator, method_mapping=fit_to)
        router.add(splitter=splitter, method_mapping=split_to)
        scorer = Scorer.of(self.estimator, self.scoring).function
        return router.add(scorer=scorer, method_mapping=score_to)

    def _routed(self, params: dict[str, Any]) -> Any:
        if _routing_enabled():
            return process_routing(self, "fit", **params)
        given = known_metadata(params)
        groups = {name: value for name, value in given.items() if name == "groups"}
        return Bunch(
            estimator=Bunch(fit=given), splitter=Bunch(split=groups), scorer=Bunch(score={})
        )
