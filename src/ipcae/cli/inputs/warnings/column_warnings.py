"""Warnings about columns that are probably not what they seem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ipcae.cli.inputs.columns import is_number, number_the_rows
from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import InputOptions
from ipcae.tables.checks.missing_codes import missing_codes
from ipcae.text import listed


def warn_about_columns(
    described: DescribedColumns, y: Any, options: InputOptions, messages: Messages
) -> None:
    """Warn of row numbers, codes for missing values, similar levels, and an unused target."""
    X = described.numbers
    columns = X.drop(columns=described.dates)
    numbered = columns.columns[number_the_rows(columns.to_numpy())].tolist()
    if numbered:
        number, it_is = ("numbers", "it is") if len(numbered) == 1 else ("number", "they are")
        drop = " ".join(f'--drop "{name}"' for name in numbered[:3])
        messages.warn(
            f"{listed(numbered)} only {number} the rows: if {it_is} no measurement, use {drop}."
        )
    _warn_of_codes(X, y, messages)
    encoding = described.encoding
    for name, coding in zip(encoding.names, encoding.codings, strict=True):
        warn_of_letter_case(f'levels of "{name}"', coding.levels, messages)
    if options.target is None and options.table.suffix == ".npz" and "y" in X.columns:
        messages.warn(
            "the array y of the file is used as a feature: predict it with --target y, or drop it "
            "with --drop y."
        )


def _warn_of_codes(X: pd.DataFrame, y: Any, messages: Messages) -> None:
    """Warn of numbers that may stand for missing values in columns or in the target."""
    found = []
    if isinstance(y, pd.Series) and is_number(y):
        values = y.to_numpy(dtype=np.float64, na_value=np.nan)
        found = [(f'the target "{y.name}"', each) for each in missing_codes(values[:, None])]
    found += [(str(X.columns[each.column]), each) for each in missing_codes(X.to_numpy())]
    if found:
        labels = [f"{name}: {each}" for name, each in found]
        codes = sorted({each.code for _, each in found})
        given = " ".join(f"--missing-value {code:g}" for code in codes)
        messages.warn(
            f"numbers may stand for missing values ({listed(labels)}): if they do, use {given} "
            "--missing impute."
        )


def warn_of_letter_case(what: str, labels: Iterable[str], messages: Messages) -> None:
    """Warn if labels differ only in upper and lower case.

    >>> messages = Messages(quiet=True)
    >>> warn_of_letter_case('levels of "smoker"', ["no", "yes", "No"], messages)
    >>> messages.warnings[0].split(". ")[0]
    'levels of "smoker" differ only in upper and lower case: "No" and "no"'
    """
    same = defaultdict(list)
    for label in labels:
        same[label.casefold()].append(f'"{label}"')
    similar = [" and ".join(sorted(each)) for each in same.values() if len(each) > 1]
    if similar:
        messages.warn(
            f"{what} differ only in upper and lower case: {listed(similar)}. If they mean the "
            "same, use one spelling in the file."
        )
