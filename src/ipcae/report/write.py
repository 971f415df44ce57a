"""From a fitted selector to a page."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ipcae.atomic import check_place, write_whole
from ipcae.errors import InputError
from ipcae.evaluation import Evaluation, Sample, evaluate_selector, read_sample
from ipcae.feature_table import FeatureTable
from ipcae.grids import Grid, check_grid
from ipcae.report.comparison import Comparison, compare
from ipcae.report.facts import facts_of
from ipcae.report.findings import Findings
from ipcae.report.page import render
from ipcae.report.sections import sections_of
from ipcae.report.sentence import headline, tiles
from ipcae.report.substitutes import find_substitutes


def write_report(
    selector: Any,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    X_train: Any = None,
    y_train: Any = None,
    grid: Grid | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Path:
    """Write one self-contained HTML page about a fitted selector, and return its path.

    Parameters
    ----------
    selector : ClassificationSelector, RegressionSelector or ReconstructionSelector
        Fitted.
    path : str or Path
        The file to write.
    X, y : optional
        Rows to measure on, best such that ``fit`` never saw. They add the held-out metrics, the
        comparison with fewer, more and all features, and the map of correlations.
    X_train, y_train : optional
        Rows that the decoders of the comparison learn from, such as those given to ``fit``.
        Without them, they learn from two thirds of X and are measured on the other third.
    grid : tuple of int, optional
        Rows and columns of the image whose pixels the features are, row after row.
    title : str, optional
        The heading.
    facts : mapping, optional
        More to tell at the end: groups of names and values.

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
    page = report_html(
        selector,
        X,
        y,
        X_train=X_train,
        y_train=y_train,
        grid=grid,
        title=title,
        facts=facts,
    )
    write_whole(path, page.encode())
    return path


def report_html(
    selector: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_train: Any = None,
    y_train: Any = None,
    grid: Grid | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> str:
    """Return the page that :func:`write_report` writes."""
    check_is_fitted(selector)
    began = time.perf_counter()
    grid = check_grid(grid, selector.n_features_in_)
    sample, training = _samples(selector, X, y, X_train, y_train)
    evaluation: Evaluation | None = None
    comparison: Comparison | str | None = None
    if sample is not None:
        evaluation = evaluate_selector(selector, sample, training)
        comparison = compare(selector, sample, training)
    features = FeatureTable.of(selector)
    correlated = training or sample
    findings = Findings(
        selector=selector,
        features=features,
        grid=grid,
        sample=sample,
        training=training,
        evaluation=evaluation,
        comparison=comparison,
        substitutes=None if correlated is None else find_substitutes(features, correlated),
    )
    known = facts_of(selector, sample, training, time.perf_counter() - began)
    return render(
        title=title or f"{findings.n_selected} of {len(features):,} features",
        sentence=headline(findings),
        tiles=tiles(findings),
        sections=sections_of(findings, {**known, **(facts or {})}),
    )


def _samples(
    selector: Any, X: Any, y: Any, X_train: Any, y_train: Any
) -> tuple[Sample | None, Sample | None]:
    if X is None:
        if X_train is not None or y is not None or y_train is not None:
            raise InputError("X is missing: give the rows to measure on along with the others.")
        return None, None
    sample = read_sample(selector, X, y)
    if len(sample) == 0:
        raise InputError("X has no row of a class that the selector knows: nothing to measure on.")
    training = None if X_train is None else read_sample(selector, X_train, y_train)
    return sample, training
