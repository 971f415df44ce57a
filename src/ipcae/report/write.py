"""Write a report about a fitted selector."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ipcae.errors import InputError
from ipcae.evaluation import (
    ChanceTest,
    FdrSelection,
    Sample,
    check_table,
    evaluate_selector,
    importance_on,
    read_sample,
)
from ipcae.feature_table import FeatureTable, feature_names
from ipcae.filesystem.atomic import check_place, write_whole
from ipcae.grids import Grid, check_grid
from ipcae.report.comparison import compare
from ipcae.report.contents import sections_of
from ipcae.report.correlation import correlate
from ipcae.report.findings import Findings, Measured
from ipcae.report.sections.facts import facts_of
from ipcae.report.summary import headline, tiles
from ipcae.report.templates import render


def write_report(
    selector: Any, path: str | os.PathLike[str], X: Any = None, y: Any = None, **options: Any
) -> Path:
    """Write a self-contained HTML report about a fitted selector, and return its path.

    Parameters
    ----------
    selector : ClassificationSelector, RegressionSelector or ReconstructionSelector
        A fitted selector.
    path : str or Path
        The file to write.
    X, y : optional
        Rows to evaluate on, ideally rows not used in ``fit``.
    **options
        Other arguments of :func:`ipcae.report.report_html`, such as ``X_train`` or ``title``.

    See Also
    --------
    report.report_html : The same as text.
    report.list_html : A page about a given list of features.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, max_epochs=5, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(selector, f"{folder}/iris.html", X[1::2], y[1::2]).name
    'iris.html'
    """
    path = Path(path)
    check_place(path)
    write_whole(path, report_html(selector, X, y, **options).encode())
    return path


def report_html(
    selector: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_train: Any = None,
    y_train: Any = None,
    groups: Any = None,
    grid: Grid | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
    chance: ChanceTest | None = None,
    stability: Any = None,
    discoveries: FdrSelection | None = None,
) -> str:
    """Return the HTML of the report that :func:`write_report` writes.

    Parameters
    ----------
    selector : ClassificationSelector, RegressionSelector or ReconstructionSelector
        A fitted selector.
    X, y : optional
        Rows to evaluate on, ideally rows not used in ``fit``. They add metrics, a comparison of
        numbers of features, and a map of correlated features.
    X_train, y_train : optional
        Rows to train the decoders of the comparison on, such as those passed to ``fit``. By
        default, the decoders are trained on two thirds of X and evaluated on the other third.
    groups : array-like of shape (n_rows,), optional
        Group of every row of X, such as a patient: intervals then treat groups as independent.
    grid : tuple of int, optional
        Rows and columns of the image whose pixels are the features, in row-major order.
    title : str, optional
        Heading of the report.
    facts : mapping, optional
        Additional groups of names and values to show with the settings.
    chance : ChanceTest, optional
        The result of :func:`ipcae.chance_test`, to be shown at the top.
    stability : RowStability or StabilitySelection, optional
        About the same columns, to show how often every feature is selected from subsamples of the
        rows. By default, that of the selector, if it has any.
    discoveries : FdrSelection, optional
        The result of :func:`ipcae.select_with_fdr` for the same columns.

    See Also
    --------
    report.write_report : Write it to a file.
    report.list_html : A page about a given list of features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, max_epochs=1, random_state=0).fit(X, y)
    >>> report_html(selector)[:15]
    '<!DOCTYPE html>'
    """
    check_is_fitted(selector)
    start = time.perf_counter()
    grid = check_grid(grid, selector.n_features_in_)
    sample, training = _samples(selector, X, y, X_train, y_train, groups)
    features, measured = FeatureTable.of(selector), None
    if sample is not None:
        measured = _measure(selector, features, sample, training)
        features = FeatureTable.of(selector, measured.importance)
    stability = getattr(stability, "rows_", stability) or getattr(selector, "row_stability_", None)
    discoveries = discoveries or getattr(selector, "fdr_selection_", None)
    if stability is not None:
        _require_same(len(stability.frequency), selector, "stability")
    if discoveries is not None:
        _require_same(len(discoveries.statistic), selector, "discoveries")
    findings = Findings(selector, features, grid, measured, chance, stability, discoveries)
    known = facts_of(selector, measured, time.perf_counter() - start)
    page = render(
        "page",
        title=title or f"{features.n_selected} of {len(features):,} features",
        chance=chance,
        sentence=headline(findings),
        tiles=tiles(findings),
        alerts=[] if measured is None else measured.checks.sentences,
        sections=sections_of(findings, {**known, **(facts or {})}),
    )
    return str(page)


def _require_same(n_features: int, selector: Any, name: str) -> None:
    if n_features != selector.n_features_in_:
        raise InputError(
            f"{name} has {n_features} features, but the selector has {selector.n_features_in_}: "
            "expected results for the same table."
        )


def _measure(
    selector: Any, features: FeatureTable, sample: Sample, training: Sample | None
) -> Measured:
    known = sample if training is None else training
    codings = getattr(getattr(selector, "encoding_", None), "codings", ())
    return Measured(
        sample=sample,
        training=training,
        evaluation=evaluate_selector(selector, sample, training),
        comparison=compare(selector, sample, training),
        correlations=correlate(features, known, codings),
        importance=importance_on(selector, sample),
        checks=check_table(
            selector.task_,
            known,
            feature_names(selector),
            selector.get_support(indices=True).tolist(),
        ),
    )


def _samples(
    selector: Any, X: Any, y: Any, X_train: Any, y_train: Any, groups: Any
) -> tuple[Sample | None, Sample | None]:
    if X is None:
        if X_train is not None or y is not None or y_train is not None:
            raise InputError("X is missing: pass the rows to evaluate on along with the others.")
        return None, None
    sample = read_sample(selector, X, y, groups)
    if len(sample) == 0:
        raise InputError("X has no rows of classes seen in fit: there is nothing to evaluate on.")
    training = None if X_train is None else read_sample(selector, X_train, y_train)
    return sample, training
