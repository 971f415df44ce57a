"""``ipcae predict``: predictions of a saved model for the rows of a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from ipcae.cli import exits
from ipcae.cli.inputs.columns import is_number, numbers_of
from ipcae.cli.inputs.finding_columns import column_named
from ipcae.cli.inputs.streamed_table import is_stored_table, named
from ipcae.cli.messages import Messages
from ipcae.cli.names import as_cell
from ipcae.cli.outputs.folder import write_file
from ipcae.data.missing_values import with_missing_values
from ipcae.data.tabular import READERS, parse_table, read_bytes
from ipcae.data.text_format import DETECTED, TextFormat
from ipcae.errors import InputError
from ipcae.estimators import load
from ipcae.feature_table import feature_names
from ipcae.filesystem.special_files import refuse_special
from ipcae.sources import ParquetSource, open_source
from ipcae.sources.hdf5 import cells
from ipcae.text import listed


def predict_rows(
    model: Path,
    table: Path,
    out: Path | None,
    *,
    proba: bool,
    ids: Sequence[str] = (),
    text_format: TextFormat = DETECTED,
    layer: str | None = None,
    missing_values: Sequence[str] = (),
    force: bool = False,
) -> int:
    """Check the input, predict and write; return the exit code."""
    _check_out(out, force=force)
    selector = load(model)
    if proba and not hasattr(selector, "predict_proba"):
        raise InputError(
            f"--proba needs a classifier, but {model} does not predict classes: remove --proba."
        )
    rows = _read_table(selector, table, ids, text_format, layer)
    known = getattr(selector, "missing_values_", [])
    rows = with_missing_values(rows, [*known, *missing_values], _ranges(selector)).table
    names = [str(name) for name in rows.columns]
    carried = [column_named(name, names, str(table), "--id") for name in ids]
    with Messages().showing_warnings():
        selected = torch.tensor(_read_selected(selector, rows, table).to_numpy())
        predictions = _predictions(selector, selected, proba=proba)
    named = not isinstance(rows.index, pd.RangeIndex)
    header = [as_cell(str(name)) for name in predictions]
    predictions = predictions.set_axis(rows.index).set_axis(header, axis=1)
    if carried:
        taken = rows[carried].rename(columns=as_cell)
        predictions, named = pd.concat([taken, predictions], axis=1), False
    text = predictions.to_csv(index=named, lineterminator="\n")
    if out is None:
        sys.stdout.write(text)
    else:
        write_file(out, text)
    return exits.OK


def _ranges(selector: Any) -> dict[str, tuple[float, float]]:
    """Return the smallest and the largest value in fit of every selected column of numbers."""
    if not hasattr(selector, "data_min_"):
        return {}
    columns = selector.get_support(indices=True).tolist()
    if hasattr(selector, "encoding_"):
        codings = selector.encoding_.codings
        columns = [column for column in columns if codings[column].kind == "number"]
    names = feature_names(selector)
    return {
        names[column]: (float(selector.data_min_[column]), float(selector.data_max_[column]))
        for column in columns
    }


def _read_table(
    selector: Any, path: Path, ids: Sequence[str], text_format: TextFormat, layer: str | None
) -> pd.DataFrame:
    """Read a table; of one that is stored in parts, read only the columns that are needed."""
    of_cells = path.suffix == ".h5ad"
    if layer is not None and not of_cells:
        raise InputError(f"--layer is for .h5ad files, but the table is {path}.")
    if not (of_cells or is_stored_table(path)) or not path.exists():
        return parse_table(read_bytes(path), path, text_format)[0]
    source = named(open_source(path, key=layer))
    names = [str(name) for name in selector.get_feature_names_out()]
    known = [name for name in names if name in (source.names or ())]
    values = source.columns(source.positions(known)).numpy()
    frame = pd.DataFrame(values, columns=known)
    if of_cells:
        obs = cells(path)
        frame.index = obs.index.astype(str)
        return frame.join(obs[[name for name in ids if name in obs]])
    if isinstance(source, ParquetSource):
        for name in ids:
            if name in source.types:
                frame[name] = source.column(name)
    return frame


def _check_out(out: Path | None, *, force: bool) -> None:
    if out is None:
        return
    if out.is_dir():
        raise InputError(f"--out {out} is a folder: expected a file, such as predictions.csv.")
    refuse_special(out)
    if out.name.lower().endswith(tuple(READERS.keys() - {".csv", ".txt"})):
        raise InputError(
            f"--out {out} would not be a {out.suffix} file: predictions are written as "
            "comma-separated text. Choose a name such as predictions.csv."
        )
    if not out.parent.is_dir():
        raise InputError(f"--out {out} cannot be written: there is no folder {out.parent}.")
    if out.exists() and not force:
        raise InputError(f"--out {out} exists: choose another file, or overwrite it with --force.")


def _with_similar(missing: list[str], table: pd.DataFrame) -> list[str]:
    """Return names with those of the table that differ only in upper and lower case.

    >>> _with_similar(["age", "sex"], pd.DataFrame(columns=["AGE", "price"]))
    ['age (it has AGE)', 'sex']
    """
    similar = {str(name).casefold(): str(name) for name in table.columns}
    found = ((name, similar.get(name.casefold())) for name in missing)
    return [name if other is None else f"{name} (it has {other})" for name, other in found]


def _read_selected(selector: Any, table: pd.DataFrame, place: Path) -> pd.DataFrame:
    """Return the selected columns as numbers, one per column; the table may have others."""
    names = [str(name) for name in selector.get_feature_names_out()]
    # Accept the names as written by predict itself, which marks formulas, and without spaces around
    # them, as they are read from a text file.
    absent = [name for name in names if name not in table.columns]
    table = table.rename(columns={form(n): n for n in absent for form in (as_cell, str.strip)})
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(
            f"{place} lacks {len(missing)} of the {len(names)} columns that the model reads: "
            f"{listed(_with_similar(missing, table))}."
        )
    selected = table[names]
    if hasattr(selector, "encoding_"):
        columns = selector.get_support(indices=True)
        coded = selector.encoding_.code(selected, columns, str(place)).numpy()
        values = pd.DataFrame(coded, columns=names)
        _refuse_not_finite(values if selector.missing == "error" else values.fillna(0.0), place)
        return values
    text = [name for name in names if not is_number(selected[name])]
    if text:
        raise InputError(
            f"{place} has columns that are not numeric but that the model reads: {listed(text)}. "
            "Expected numbers, as in training."
        )
    values = numbers_of(selected)
    _refuse_not_finite(values, place)
    return values


def _refuse_not_finite(values: pd.DataFrame, place: Path) -> None:
    n_bad = (~np.isfinite(values)).sum()
    if n_bad.any():
        labels = [f"{name}: {n}" for name, n in n_bad.items() if n]
        filled_in = " A model from select --missing impute fills in missing values itself."
        raise InputError(
            f"{place} has missing or infinite values in columns that the model reads "
            f"({listed(labels)}): fill them in, or remove these rows."
            f"{filled_in if values.isna().any(axis=None) else ''}"
        )


def _predictions(selector: Any, selected: Tensor, *, proba: bool) -> pd.DataFrame:
    """Return the predictions for the selected columns. Shape: selected (N, K)."""
    predicted = selector._predict(selected, selected=True)
    if selector.task_.head.restores_columns:
        if hasattr(selector, "encoding_"):
            predicted = selector.encoding_.label(torch.from_numpy(predicted))
        return pd.DataFrame(predicted, columns=feature_names(selector)).infer_objects()
    predictions = _columns("prediction", predicted)
    if not proba:
        return predictions
    probabilities = pd.DataFrame(
        selector.predict_proba_from_selected(selected),
        columns=[f"probability_{label}" for label in selector.classes_.tolist()],
    )
    return pd.concat([predictions, probabilities], axis=1)


def _columns(name: str, values: Any) -> pd.DataFrame:
    """Return one column with this name, or several numbered ones.

    >>> _columns("prediction", np.zeros((1, 2)))
       prediction_0  prediction_1
    0           0.0           0.0
    """
    if values.ndim == 1:
        return pd.DataFrame({name: values})
    return pd.DataFrame(values, columns=[f"{name}_{i}" for i in range(values.shape[1])])
