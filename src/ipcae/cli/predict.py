"""``ipcae predict``: from a saved model and a table to predictions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ipcae.cli import exits
from ipcae.cli.columns import is_number, numbers_of
from ipcae.cli.outputs import write_file
from ipcae.data import read_table
from ipcae.errors import InputError
from ipcae.estimators import load
from ipcae.feature_table import feature_names
from ipcae.text import listed


def predict_rows(
    model: Path, table: Path, out: Path | None, *, proba: bool, force: bool = False
) -> int:
    """Check everything, then predict, then write; return the exit code."""
    _check_out(out, force=force)
    selector = load(model)
    if proba and not hasattr(selector, "predict_proba"):
        raise InputError(
            f"--proba asks for probabilities of classes, but {model} predicts none: leave it out."
        )
    rows = read_table(table)
    predictions = _predictions(selector, _measured(selector, rows, table), proba=proba)
    named = not isinstance(rows.index, pd.RangeIndex)
    text = predictions.set_axis(rows.index).to_csv(index=named, lineterminator="\n")
    if out is None:
        sys.stdout.write(text)
    else:
        write_file(out, text)
    return exits.OK


def _check_out(out: Path | None, *, force: bool) -> None:
    if out is None:
        return
    if out.is_dir():
        raise InputError(f"--out {out} is a folder: expected a file, such as predictions.csv.")
    if not out.parent.is_dir():
        raise InputError(f"--out {out} cannot be written: there is no folder {out.parent}.")
    if out.exists() and not force:
        raise InputError(f"--out {out} exists: choose another file, or replace it with --force.")


def _measured(selector: Any, table: pd.DataFrame, place: Path) -> pd.DataFrame:
    """Return the selected columns, as numbers; no others are needed."""
    names = [str(name) for name in selector.get_feature_names_out()]
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(
            f"{place} lacks {len(missing)} of the {len(names)} columns that the model reads: "
            f"{listed(missing)}."
        )
    selected = table[names]
    text = [name for name in names if not is_number(selected[name])]
    if text:
        raise InputError(
            f"{place} holds something else than numbers in {listed(text)}, which the model reads: "
            "expected numbers, as in training."
        )
    values = numbers_of(selected, str(place), has_target=True)
    gaps = (~np.isfinite(values)).sum()
    if gaps.any():
        labels = [f"{name}: {n}" for name, n in gaps.items() if n]
        raise InputError(
            f"{place} has missing or infinite values in columns that the model reads "
            f"({listed(labels)}): fill them in, or leave those rows out."
        )
    return values


def _predictions(selector: Any, measured: pd.DataFrame, *, proba: bool) -> pd.DataFrame:
    values, task = measured.to_numpy(), selector.task_
    answers = task.answers(selector.decoder_outputs(values, selected=True))
    if task.head.restores_columns:
        return pd.DataFrame(answers, columns=feature_names(selector))
    predictions = _columns("prediction", answers)
    if not proba:
        return predictions
    probabilities = pd.DataFrame(
        selector.predict_proba_from_selected(values),
        columns=[f"probability_{label}" for label in selector.classes_.tolist()],
    )
    return pd.concat([predictions, probabilities], axis=1)


def _columns(name: str, values: Any) -> pd.DataFrame:
    """Return one column of that name, or several that are numbered.

    >>> _columns("prediction", np.zeros((1, 2)))
       prediction_0  prediction_1
    0           0.0           0.0
    """
    if values.ndim == 1:
        return pd.DataFrame({name: values})
    return pd.DataFrame(values, columns=[f"{name}_{i}" for i in range(values.shape[1])])
