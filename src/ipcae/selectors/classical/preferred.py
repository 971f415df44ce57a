"""Compare rankings by how well their K best columns predict unseen rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from ipcae.arrays import Floats
from ipcae.ridge import margin, means_of_groups, similar_folds, standardized, weighted_ridge
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import classes_of, numeric_targets
from ipcae.selectors.classical.models.held_out import MOST_ROWS, errors_of_columns
from ipcae.selectors.classical.statistics.normal_scores import with_normal_scores


def preferred(
    examples: Examples,
    rankings: Sequence[Ranking],
    n_selected: int,
    known: Mapping[Ranking, Floats] | None = None,
) -> Ranking:
    """Return the first ranking, or the one whose errors are smaller by most standard errors.

    The errors are those of :func:`errors_of`, of which some may be known. An advantage of less than
    one standard error does not count.
    """
    known = known or {}
    first, *others = (
        known[ranking] if ranking in known else errors_of(ranking, examples, n_selected)
        for ranking in rankings
    )
    margins = [0.0, *(margin(errors, first, n_errors=1) for errors in others)]
    return rankings[int(np.argmax(margins))]


def on_preferred_scale(
    examples: Examples, ranking: Ranking, n_selected: int
) -> tuple[Examples, dict[Ranking, Floats]]:
    """Return the examples with normal scores of skewed columns, if the ranking is better on them.

    Better means as in :func:`preferred`. Columns are replaced as by :func:`with_normal_scores`. The
    errors of the ranking are also returned, if they were computed.
    """
    inputs = with_normal_scores(examples.inputs)
    if inputs is examples.inputs:
        return examples, {}
    scored = replace(examples, inputs=inputs)
    errors, others = (errors_of(ranking, each, n_selected) for each in (scored, examples))
    if margin(errors, others, n_errors=1) > 0:
        return scored, {ranking: errors}
    return examples, {ranking: others}


def preferred_scores(
    examples: Examples,
    first: Scores,
    others: Iterable[Scores | None],
    n_selected: int,
    n_errors: float = 2,
) -> Scores:
    """Return the first scores, or others, if there are any, whose K best columns predict better.

    Better means by ``n_errors`` standard errors on held-out rows (:func:`errors_of_columns`), which
    the scores may have seen.
    """
    every = [first, *(other for other in others if other is not None)]
    columns = [tuple(np.sort(examples.best_columns(each, n_selected))) for each in every]
    sets = list(dict.fromkeys(columns))
    if len(sets) == 1:
        return first
    errors = dict(zip(sets, errors_of_columns(examples, list(map(np.array, sets))), strict=True))
    best = 0
    for number, own in enumerate(columns):
        if margin(errors[own], errors[columns[best]], n_errors) > 0:
            best = number
    return every[best]


def errors_of(ranking: Ranking, examples: Examples, n_selected: int) -> Floats:
    """Return the squared errors for the targets of rows that neither ranking nor model has seen.

    In each of five folds, the columns are ranked on the other rows, and a kernel ridge regression
    on the K best of them predicts the fold (see :func:`smooth_errors`). At most a thousand rows
    are used. Rows have weights, also in the errors. With groups, folds have whole groups, and the
    errors are their means.

    Shape: -> (N,), or one per group.
    """
    examples = examples.thinned(MOST_ROWS)
    classes, n_rows = classes_of(examples), len(examples.inputs)
    targets = standardized(numeric_targets(examples))
    order = np.random.default_rng(0).permutation(n_rows)  # the same folds in every run
    values = targets[:, 0] if classes is None else classes.astype(np.float64)
    fold = similar_folds(values[:, None], examples.groups, order)
    errors, weights = np.empty(n_rows), examples.relative_weights
    for number in range(fold.max() + 1):
        held, kept = fold == number, fold != number
        seen, others = examples.take(kept), examples.take(held)
        scores = ranking.scores(seen, n_selected, 0)
        best = seen.best_columns(scores, n_selected)
        predicted = _predicted(
            seen.beside_given(best), targets[kept], weights[kept], others.beside_given(best)
        )
        errors[held] = np.square(targets[held] - predicted).sum(1)
    return means_of_groups(weights * errors, examples.groups)


def _predicted(inputs: Floats, targets: Floats, weights: Floats, others: Floats) -> Floats:
    """Predict the targets of other rows by kernel ridge regression. Shape: -> (M, T)."""
    deviation = inputs.std(0)
    scale = np.where(deviation > 1e-12, deviation, np.inf)
    rows, others = ((table - inputs.mean(0)) / scale for table in (inputs, others))
    near, far = (
        np.exp(-cdist(table, rows, "sqeuclidean") / rows.shape[1]) for table in (rows, others)
    )
    center = np.average(targets, 0, weights)
    slopes = np.linalg.solve(near + np.diag(weighted_ridge(weights)), targets - center)
    return np.asarray(center + far @ slopes)
