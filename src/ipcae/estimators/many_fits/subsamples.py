"""Selections from complementary halves of the rows."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.arrays import Integers
from ipcae.errors import InputError, warn
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits import folds
from ipcae.estimators.many_fits.variants import Variant, fit_variants
from ipcae.estimators.one_fit.problem import Seeds
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table
from ipcae.sources import StreamedRows
from ipcae.tables.tensors import as_array

FEWEST_ROWS = 4


def fit_subsamples(
    selector: NeuralSelector,
    table: Table,
    n_subsamples: int,
    y: Any = None,
    sample_weight: Any = None,
) -> list[NeuralSelector]:
    """Fit a selector to complementary halves of the rows, all as the runs of one batch.

    A pair of halves is left out if one of them diverged or was interrupted. If rows are read in
    parts, the halves are fitted one after the other, with ``y`` and ``sample_weight``.
    """
    seeds = Seeds.draw(selector.random_state, n_subsamples)
    targets = table.rows.given_targets
    strata = None if targets is None else table.task.strata(targets)
    if len(table.rows) < FEWEST_ROWS:
        raise InputError(
            f"X has n_samples={len(table.rows)}: expected at least {FEWEST_ROWS}, for two halves."
        )
    halves = complementary_halves(len(table.rows), n_subsamples, strata, seeds.split, table.groups)
    if strata is not None and any(len(np.unique(strata[half])) < 2 for half in halves):
        weighted = table.rows.weights is not None
        counted = " (a row with sample_weight 0 does not count)" if weighted else ""
        raise InputError(
            f"Half of the rows may have a single class, from which nothing can be selected: "
            f"expected several rows, and groups, of at least two classes{counted}."
        )
    if table.rows.streamed:
        given = (y, sample_weight)
        return _complete_pairs(_one_by_one(selector, table, given, halves, seeds.runs))
    learned = folds.validation_rows(
        [(half, half[:0]) for half in halves],
        Settings.of(selector).validation_fraction,
        strata,
        table.groups,
        seeds.split,
    )
    variants = [
        Variant(train, validate, table.n_selected, seed)
        for (train, validate), seed in zip(learned, seeds.runs, strict=True)
    ]
    return _complete_pairs(fit_variants(selector, table, variants, seeds.order))


def _one_by_one(
    selector: NeuralSelector,
    table: Table,
    given: tuple[Any, Any],
    halves: list[Integers],
    seeds: list[int],
) -> list[NeuralSelector | None]:
    """Fit the halves of rows that are read in parts, one after the other.

    ``given`` are the targets and the weights of all rows; the table has no rows of weight 0.
    """
    source = cast(StreamedRows, table.rows).source
    y, weights = (None if each is None else np.asarray(as_array(each)) for each in given)
    if weights is not None:
        counted = np.flatnonzero(weights)
        y, weights = None if y is None else y[counted], weights[counted]
    fitted: list[NeuralSelector | None] = [None] * len(halves)
    for number, (half, seed) in enumerate(zip(halves, seeds, strict=True)):
        labels = (None if each is None else each[half] for each in (y, weights, table.groups))
        own = clone(selector).set_params(random_state=seed)
        try:
            fitted[number] = own._fit(source.subset(half), *labels)
        except KeyboardInterrupt:
            break
        if own._interrupted:
            break
    return fitted


def _complete_pairs(fitted: list[NeuralSelector | None]) -> list[NeuralSelector]:
    """Return the selectors of pairs that are both usable; warn about the others."""
    usable = [each is not None and np.isfinite(each._best_loss) for each in fitted]
    pairs = [bool(one and other) for one, other in zip(usable[::2], usable[1::2], strict=True)]
    kept = [each for i, each in enumerate(fitted) if each is not None and pairs[i // 2]]
    interrupted = any(each is None or each._interrupted for each in fitted)
    if not kept:
        if interrupted:
            raise KeyboardInterrupt
        raise InputError("Training diverged in almost every subsample: scale the data.")
    if len(kept) < len(fitted):
        reason = "Interrupted" if interrupted else "Training diverged"
        warn(f"{reason}: {len(kept)} of {len(fitted)} subsamples are used.")
    return kept


def complementary_halves(
    n_rows: int,
    n_subsamples: int,
    strata: NDArray[Any] | None,
    seed: int,
    groups: NDArray[Any] | None = None,
) -> list[Integers]:
    """Return pairs of disjoint halves of the rows.

    The halves have the same size and are stratified if possible. With ``groups``, the rows of a
    group are in the same half, and the sizes are about equal.

    >>> [half.tolist() for half in complementary_halves(4, 2, None, seed=0)]
    [[1, 2], [0, 3]]
    """
    random = np.random.default_rng(seed)
    halves = []
    for _ in range(n_subsamples // 2):
        if groups is None:
            halves += _halves_of_rows(n_rows, strata, random)
        else:
            halves += _halves_of_groups(groups, random)
    return halves


def _halves_of_rows(
    n_rows: int, strata: NDArray[Any] | None, random: np.random.Generator
) -> list[Integers]:
    size = n_rows // 2
    keys = random.permutation(n_rows)
    if strata is not None:
        # Alternate within every class; which half gets the odd row is random.
        place = np.argsort(np.lexsort((keys, strata)))
        keys = (place % 2) * n_rows + keys
    order = np.argsort(keys, kind="stable")
    return [np.sort(order[:size]), np.sort(order[size : 2 * size])]


def _halves_of_groups(groups: NDArray[Any], random: np.random.Generator) -> list[Integers]:
    """Give the groups, in random order, to the half that has fewer rows."""
    _, member, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise InputError("groups has a single group: two halves of the rows need at least two.")
    filled, half_of = [0, 0], np.empty(len(sizes), dtype=np.int64)
    for group in random.permutation(len(sizes)):
        half_of[group] = int(filled[1] < filled[0])
        filled[half_of[group]] += sizes[group]
    return [np.flatnonzero(half_of[member] == half) for half in (0, 1)]
