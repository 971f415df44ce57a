"""``select -k auto`` and ``-k 5,10,20``: the number of columns is chosen by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from ipcae.arrays import Integers
from ipcae.cli.options.k_option import AUTO, count_features
from ipcae.cli.options.selection_options import FitOptions
from ipcae.cli.tables import add_row, new_table
from ipcae.estimators import SelectorCV
from ipcae.estimators.many_fits.feature_counts import auto_counts
from ipcae.estimators.many_fits.scoring import main_scoring
from ipcae.evaluation.folds import split_scores, standard_errors
from ipcae.tables.splitting import stratified_split
from ipcae.tasks import METRICS, Task
from ipcae.tasks.metrics import write_score

MOST_COMPARED, FEWEST_OF_A_CLASS = 20_000, 1_000
"""Of more training rows, numbers of columns are compared on a sample."""


def counts_to_compare(options: FitOptions, n_columns: int, place: str) -> list[int]:
    """Return the numbers of columns to compare, or none if K is given and there are no folds."""
    if options.counts == AUTO:
        return auto_counts(n_columns)
    if options.counts is None and options.cv is None:
        return []
    asked = (options.n_features,) if options.counts is None else options.counts
    return sorted({count_features(k, n_columns, place) for k in asked if not isinstance(k, str)})


def rows_to_compare(rows: Integers, classes: NDArray[Any] | None, seed: int) -> Integers:
    """Return the training rows on which numbers of columns are compared: a sample of many.

    The sample has 20,000 rows, or as many more as the rarest class needs to have 1,000 of its rows.
    """
    share = MOST_COMPARED / len(rows)
    labels = classes[rows] if classes is not None and classes.ndim == 1 else None
    if labels is not None:
        share = max(share, FEWEST_OF_A_CLASS / np.unique(labels, return_counts=True)[1].min())
    if share >= 1:
        return rows
    _, sample = stratified_split(rows, round(share * len(rows)), labels, seed)
    return np.sort(sample)


def search_for(
    selector: Any, counts: list[int], options: FitOptions, y: Any, groups: Any, *, refit: bool
) -> SelectorCV:
    """Return the cross-validation of these numbers of columns."""
    cv = 5 if options.cv is None else options.cv
    return SelectorCV(
        selector,
        n_features_to_select=AUTO if options.counts == AUTO else counts,
        cv=cv,
        scoring=options.scoring or main_scoring(selector, y, cv, groups),
        refit=refit,
        n_runs=1,
    )


def summary_of(search: Any, task: Task) -> dict[str, Any]:
    """Return the part of metrics.json about the cross-validation."""
    results = search.cv_results_
    return {
        "score": search.scoring or task.selector_score,
        "folds": search.n_splits_,
        "n_features": results["n_features"].tolist(),
        "mean": results["mean_test_score"].tolist(),
        "standard_error": standard_errors(split_scores(results)).tolist(),
        "rule": search.rule,
        "chosen": search.n_features_,
        **({"method": results["method"].tolist()} if "method" in results else {}),
    }


def reason_for(summary: dict[str, Any]) -> str | None:
    """Return why a smaller number than the one with the best score was chosen, if it was.

    >>> found = {"score": "roc_auc", "rule": "one-standard-error", "chosen": 1}
    >>> found |= {"n_features": [1, 5], "mean": [0.85, 0.9], "standard_error": [0.04, 0.06]}
    >>> reason_for(found)
    '1 is the smallest number within one standard error of the best score, of 5 columns (0.900 ± \
0.060). If the score matters more than the number of columns, use -k 5.'
    """
    best = int(np.nanargmax(summary["mean"]))
    number, chosen = summary["n_features"][best], summary["chosen"]
    if chosen == number or summary["rule"] == "best":
        return None
    score = write_score(summary["score"], summary["mean"][best], summary["standard_error"][best])
    score = score.replace("\u00a0", " ")
    return (
        f"{chosen} is the smallest number within one standard error of the best score, of "
        f"{number} columns ({score}). If the score matters more than the "
        f"number of columns, use -k {number}."
    )


def counts_table(summary: dict[str, Any]) -> Table:
    """Return the scores of all numbers of columns, the chosen one marked."""
    score = METRICS[summary["score"]].label if summary["score"] in METRICS else summary["score"]
    names = ["best method"] if "method" in summary else []
    header = ["columns", f"{score} in {summary['folds']} folds", *names, ""]
    table = new_table(*header, left=range(2, len(header)))
    methods = [[name] for name in summary["method"]] if names else [[]] * len(summary["mean"])
    rows = zip(
        summary["n_features"], summary["mean"], summary["standard_error"], methods, strict=True
    )
    for count, mean, error, method in rows:
        chosen = "chosen" if count == summary["chosen"] else ""
        add_row(table, str(count), write_score(summary["score"], mean, error), *method, chosen)
    return table
