"""Reading the input table: which columns are features, which is the target, and its task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli import columns
from ipcae.cli.column_warnings import warn_about_columns
from ipcae.cli.described_columns import DescribedColumns
from ipcae.cli.detection import DetectedTask, detect_task, for_cells, read_target
from ipcae.cli.finding_columns import column_named, columns_matching
from ipcae.cli.h5ad_table import is_h5ad, note_counts, read_h5ad
from ipcae.cli.messages import Messages
from ipcae.cli.missing_rows import without_missing
from ipcae.cli.options import InputOptions
from ipcae.cli.repeated_rows import warn_of_repeated_rows
from ipcae.cli.row_weights import weighted_rows
from ipcae.cli.rows_in_memory import refused
from ipcae.cli.sparse_cells import batches_of
from ipcae.cli.streamed_table import (
    describe_reading,
    describe_stored,
    features_and_target,
    is_stored_table,
    open_if_large,
    stored_frame,
)
from ipcae.cli.survival_target import read_survival, survival_columns, survival_target
from ipcae.cli.table_file import Source, read_table_file
from ipcae.cli.target_column import clean_target, warn_of_similar_classes
from ipcae.cli.transposed import warn_of_gene_rows
from ipcae.cli.words_for_missing import warn_of_words
from ipcae.data.missing_values import with_missing_values
from ipcae.data.text_format import TextFormat
from ipcae.errors import InputError
from ipcae.sources import Source as RowSource
from ipcae.text import count, listed

_ORDINARY = {TextFormat(sep, ".", code) for sep in ",\t" for code in ("utf-8", "utf-8-sig")}

MIN_ROWS = 10
"""Fewer rows cannot be split into training, validation and test rows."""


@dataclass(frozen=True, eq=False)
class InputTable:
    """The features that can be selected, and the target.

    ``columns`` describes all columns of the file that may be features, also those that are left
    out, and ``options`` are the arguments of a selector that say how they are encoded.

    Shape: X (N, D); y (N,) or (N, 2), as the task expects it, or None.
    """

    X: pd.DataFrame
    y: NDArray[np.generic] | None
    task: DetectedTask
    target: str | None
    place: str
    source: Source
    batches: NDArray[Any] | None = None
    groups: NDArray[np.generic] | None = None
    weights: NDArray[np.float64] | None = None
    columns: DescribedColumns | None = None
    options: dict[str, Any] = field(default_factory=dict)


def read_input_table(options: InputOptions, messages: Messages) -> InputTable:
    """Read the table and check that it can be trained on.

    Raises
    ------
    InputError
        If it cannot; the message says what is wrong and how to fix it.
    """
    place = str(options.table)
    batches: NDArray[Any] | None = None
    large = open_if_large(options)
    if large is not None:
        return _read_large(large, options, messages)
    if is_stored_table(options.table):
        table = _with_missing_values(stored_frame(options.table), options, messages)
        source = describe_stored(options.table)
    elif is_h5ad(options):
        cells = read_h5ad(options, messages)
        table, batches, source = cells.table, cells.batches, cells.source
    else:
        table, text_format, source = read_table_file(options.table, options.text_format)
        if text_format is not None and text_format not in _ORDINARY:
            messages.say(f"Read {options.table.name} as {text_format}.")
        table = _with_missing_values(table, options, messages)
        if table.attrs.get("row_names"):
            messages.say("The first column has no name: it names the rows, and is not selected.")
        if options.target is None and options.time is None:
            warn_of_gene_rows(table, place, messages)
    names = [str(name) for name in table.columns]
    target = options.target
    weights: NDArray[np.float64] | None = None
    if options.weights is not None:
        weighting = column_named(options.weights, names, place, "--weights")
        table, weights = weighted_rows(table, weighting, place, messages)
    if target is not None:
        target = column_named(target, names, place, "--target")
        if content := columns.nested(table[target]):
            raise InputError(
                f'column "{target}" of {place} contains {content}: expected a number or a text in '
                "every row. Choose another --target."
            )
    drop = columns_matching(options.drop, names, place, "--drop", but=target)
    for name in options.id:
        drop.append(column_named(name, names, place, "--id"))
    groups = options.groups
    if groups is not None:
        groups = column_named(groups, names, place, "--groups")
        if groups == target:
            raise InputError(f'"{target}" is the --target: it cannot be --groups as well.')
        drop.append(groups)
    if options.weights is not None:
        if weighting == target:
            raise InputError(f'"{target}" is the --target: it cannot be --weights as well.')
        drop.append(weighting)
    if target in drop:
        option = "dropped with --drop" if target in options.drop else "an --id"
        raise InputError(f'"{target}" is the --target: it cannot be {option} as well.')
    survival = survival_columns(options, names, place)
    excluded = [*drop, *(survival or ()), *(() if target is None else (target,))]
    others = table.drop(columns=excluded) if excluded else table
    if others.empty:
        raise InputError(f"{place} has no columns left to select from.")
    impute = options.missing == "impute"
    every = DescribedColumns.of(others, place, dates=options.dates, impute=impute)
    warn_of_words(every.texts, messages)
    y: Any = None if target is None else clean_target(table[target].reset_index(drop=True))
    if survival is not None:
        y = survival_target(table, survival, options)
    used, y, kept = without_missing(every.used(place), y, options, messages)
    members = None if groups is None else _group_of(table[groups], place)[kept]
    _check_size(used, place)
    warn_about_columns(every.used(place), y, options, messages)
    if members is None and batches is None:
        texts = every.texts[kept].reset_index(drop=True)
        warn_of_repeated_rows(pd.concat([used.numbers, texts], axis=1), y, messages)
    labels: NDArray[Any] | None
    if survival is not None:
        detected, labels = read_survival(y, place)
        target = " and ".join(survival)
    else:
        detected = _detected(y, options)
        labels = None if y is None else read_target(y, detected.task, place)
        if y is not None:
            warn_of_similar_classes(y, messages)
    return InputTable(
        used.frame,
        labels,
        detected,
        target,
        place,
        source,
        batches,
        members,
        None if weights is None else weights[kept],
        every,
        options.estimator_options,
    )


def _with_missing_values(
    table: pd.DataFrame, options: InputOptions, messages: Messages
) -> pd.DataFrame:
    table, unknown = with_missing_values(table, options.missing_values)
    if unknown:
        messages.warn(f"no column of {options.table} has --missing-value {listed(unknown)}.")
    return table


def _detected(y: Any, options: InputOptions) -> DetectedTask:
    """Return the task of a target; the classes of cells are those of a gene panel."""
    detected = detect_task(y, options.task)
    cells = options.table.suffix == ".h5ad" and options.task is None
    return for_cells(detected) if cells else detected


def _read_large(opened: RowSource, options: InputOptions, messages: Messages) -> InputTable:
    """Return a table whose rows are read in parts."""
    place = str(options.table)
    inside = is_h5ad(options)
    batches = batches_of(options)
    X, y = features_and_target(opened, options)
    if inside:
        note_counts(opened.take(np.arange(min(len(X), 500))).numpy(), options, messages)
    if len(X) < MIN_ROWS:
        raise InputError(f"{place} has {count(len(X), 'row')}: expected at least {MIN_ROWS}.")
    detected = _detected(y, options)
    if not detected.task.streams:
        raise refused(f"--task {detected.name}", place, "choose another task")
    labels = None if y is None else read_target(y, detected.task, place)
    messages.say(describe_reading(X.source))
    return InputTable(
        X,  # type: ignore[arg-type]
        labels,
        detected,
        options.target,
        place,
        describe_stored(options.table),
        batches,
        options=options.estimator_options,
    )


def _group_of(column: pd.Series, place: str) -> NDArray[np.generic]:
    """Return the group of every row, or raise an error if it is missing."""
    if column.isna().any():
        raise InputError(
            f'the group "{column.name}" is missing in {column.isna().sum()} of {len(column)} rows '
            f"of {place}: fill in the values."
        )
    return pd.factorize(column)[0]


def _check_size(X: DescribedColumns, place: str) -> None:
    if len(X.coded) < MIN_ROWS:
        raise InputError(
            f"{place} has {count(len(X.coded), 'row')}: expected at least {MIN_ROWS}, to split "
            "them into training, validation and test rows."
        )
    if (X.coded.min(0) == X.coded.max(0)).all():
        raise InputError(f"every column of {place} is constant: there is nothing to select.")
