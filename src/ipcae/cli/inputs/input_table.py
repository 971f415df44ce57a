"""Reading the input table: which columns are features, which is the target, and its task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.inputs.column_roles import ColumnRoles
from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.cli.inputs.detection import DetectedTask, detect_task, for_cells, read_target
from ipcae.cli.inputs.h5ad_table import is_h5ad, note_counts, read_h5ad, refuse_repeated
from ipcae.cli.inputs.missing_rows import without_missing
from ipcae.cli.inputs.row_groups import groups_of_rows
from ipcae.cli.inputs.row_weights import weighted_rows
from ipcae.cli.inputs.sparse_cells import batches_of
from ipcae.cli.inputs.streamed_table import (
    describe_reading,
    describe_stored,
    features_and_target,
    is_stored_table,
    open_if_large,
    stored_frame,
)
from ipcae.cli.inputs.survival_target import read_survival
from ipcae.cli.inputs.table_file import Source, read_table_file
from ipcae.cli.inputs.target_column import (
    warn_of_limits,
    warn_of_similar_classes,
    warn_of_unknown_classes,
)
from ipcae.cli.inputs.warnings.column_warnings import warn_about_columns
from ipcae.cli.inputs.warnings.dependent_rows import warn_of_dependence
from ipcae.cli.inputs.warnings.differences_between_groups import (
    warn_of_differences_between_groups,
)
from ipcae.cli.inputs.warnings.leak_warning import warn_of_leaks
from ipcae.cli.inputs.warnings.other_layouts import warn_of_gene_rows, warn_of_long_format
from ipcae.cli.inputs.warnings.total_row import without_total
from ipcae.cli.inputs.warnings.words_for_missing import (
    warn_of_answers,
    warn_of_units,
    warn_of_words,
)
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import InputOptions
from ipcae.data.missing_values import with_missing_values
from ipcae.data.text_format import TextFormat
from ipcae.errors import InputError
from ipcae.sources import Source as RowSource
from ipcae.tables.dependence import Dependence
from ipcae.tables.dependence.search import find_dependence
from ipcae.text import count, listed

_ORDINARY = {TextFormat(sep, ".", code) for sep in ",\t" for code in ("utf-8", "utf-8-sig")}

MIN_ROWS = 10
"""Fewer rows cannot be split into training, validation and test rows."""


@dataclass(frozen=True, eq=False)
class InputTable:
    """The features that can be selected, and the target.

    ``columns`` describes all columns of the file that may be features, including those left out,
    and ``options`` are the arguments of a selector that say how they are encoded. ``dependent`` is
    whether rows seem to depend on each other, although they have no groups.

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
    dependent: bool = False


def read_input_table(options: InputOptions, messages: Messages) -> InputTable:
    """Read the table; raise an error that says how to fix it if it cannot be trained on."""
    place = str(options.table)
    large = open_if_large(options)
    if large is not None:
        return _read_large(large, options, messages)
    table, batches, source = _read_file(options, messages)
    roles = ColumnRoles.of(table, options)
    weights: NDArray[np.float64] | None = None
    if roles.weights is not None:
        table, weights = weighted_rows(table, roles.weights, place, messages)
    features = table.drop(columns=roles.columns) if roles.columns else table
    target = roles.target_in(table, options)
    if roles.survival is None and batches is None:
        warn_of_long_format(features, target, messages)
    every = _described(features, options, messages)
    usable = every.used(place)
    used, y, kept = without_missing(usable, target, options, messages)
    groups: NDArray[np.generic] | None = None
    together: pd.Series | None = None if roles.groups is None else table[roles.groups][kept]
    if together is not None:
        groups = groups_of_rows(together, place, messages)
    _check_size(used, place)
    warn_about_columns(usable, y, options, messages)
    dependence = Dependence()
    if groups is None and batches is None:
        own, others = every.take(kept), table[roles.dropped][kept]
        known = own.frame, own.encoding, own.coded, y
        dependence = find_dependence(*known, others=others, ordered=roles.survival is None)
        warn_of_dependence(dependence, messages)
        if dependence.identifiers:
            together = own.frame[dependence.identifiers[0]]
    if together is not None:
        warn_of_differences_between_groups(together, used.coded, y, messages)
    detected, labels = _read_target(y, roles, options, messages)
    if labels is not None:
        warn_of_leaks(used, labels, detected.task, messages)
    return InputTable(
        X=used.frame,
        y=labels,
        task=detected,
        target=roles.target_name,
        place=place,
        source=source,
        batches=batches,
        groups=groups,
        weights=None if weights is None else weights[kept],
        columns=every,
        options=options.estimator_options,
        dependent=bool(dependence),
    )


def _described(
    features: pd.DataFrame, options: InputOptions, messages: Messages
) -> DescribedColumns:
    """Return what the columns that may be features contain, with warnings about their texts."""
    place, impute = str(options.table), options.missing == "impute"
    if features.empty:
        raise InputError(f"{place} has no columns left to select from.")
    every = DescribedColumns.of(features, place, dates=options.dates, impute=impute)
    warn_of_words(every.texts, messages)
    warn_of_units(every.texts, messages)
    warn_of_answers(every.encoding, messages)
    return every


def _read_target(
    y: Any, roles: ColumnRoles, options: InputOptions, messages: Messages
) -> tuple[DetectedTask, NDArray[Any] | None]:
    """Return the task, and the target as the task expects it."""
    place = str(options.table)
    if roles.survival is not None:
        return read_survival(y, place)
    detected = _detected(y, options)
    if y is None:
        return detected, None
    labels = read_target(y, detected.task, place)
    warn_of_limits(y, messages)
    warn_of_similar_classes(y, messages)
    warn_of_unknown_classes(y, options.missing, messages)
    return detected, labels


def _read_file(
    options: InputOptions, messages: Messages
) -> tuple[pd.DataFrame, NDArray[Any] | None, Source]:
    """Return the table, the batch of every row if it has cells, and where it comes from."""
    if is_stored_table(options.table):
        table = _with_missing_values(stored_frame(options.table), options, messages)
        return table, None, describe_stored(options.table)
    if is_h5ad(options):
        cells = read_h5ad(options, messages)
        return cells.table, cells.batches, cells.source
    table, text_format, source = read_table_file(options.table, options.text_format)
    if text_format is not None and text_format not in _ORDINARY:
        messages.say(f"Read {options.table.name} as {text_format}.")
    if unread := table.attrs.get("unread"):
        messages.say(unread)
    if text_format is not None:
        table = without_total(table, messages)
    table = _with_missing_values(table, options, messages)
    if table.attrs.get("row_names"):
        messages.say("The first column has no name: it names the rows, and is not selected.")
    if options.target is None and options.time is None:
        warn_of_gene_rows(table, str(options.table), messages)
    return table, None, source


def _with_missing_values(
    table: pd.DataFrame, options: InputOptions, messages: Messages
) -> pd.DataFrame:
    table, unknown, kept = with_missing_values(table, options.missing_values)
    if unknown:
        messages.warn(f"no column of {options.table} has --missing-value {listed(unknown)}.")
    for number, columns in kept.items():
        messages.say(
            f"--missing-value {number} is not applied to {listed(columns)}: other values there "
            "are both smaller and larger."
        )
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
        refuse_repeated(opened.names or [], place)
        note_counts(opened.take(np.arange(min(len(X), 500))).numpy(), options, messages)
    if len(X) < MIN_ROWS:
        raise InputError(f"{place} has {count(len(X), 'row')}: expected at least {MIN_ROWS}.")
    detected = _detected(y, options)
    labels = None if y is None else read_target(y, detected.task, place)
    messages.say(describe_reading(X.source))
    return InputTable(
        X=X,  # type: ignore[arg-type]
        y=labels,
        task=detected,
        target=options.target,
        place=place,
        source=describe_stored(options.table),
        batches=batches,
        options=options.estimator_options,
    )


def _check_size(X: DescribedColumns, place: str) -> None:
    if len(X.coded) < MIN_ROWS:
        raise InputError(
            f"{place} has {count(len(X.coded), 'row')}: expected at least {MIN_ROWS}, to split "
            "them into training, validation and test rows."
        )
    if (X.coded.min(0) == X.coded.max(0)).all():
        raise InputError(f"every column of {place} is constant: there is nothing to select.")
