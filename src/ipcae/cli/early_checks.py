"""Checks of a command line that need neither PyTorch nor the whole table.

They take a tenth of a second, so that a mistyped file or column is reported at once. What they
find, the complete checks would find as well.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ipcae.cli.inputs.finding_columns import (
    column_named,
    columns_to_drop,
    split_event,
    target_named,
)
from ipcae.cli.options.k_option import count_features
from ipcae.cli.options.selection_options import FitOptions, InputOptions
from ipcae.data.tabular import READERS, check_is_file, column_names, parse_table, read_bytes
from ipcae.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


_QUICKLY_READ = 50_000_000  # bytes


def check_early(options: InputOptions, fit: FitOptions | None = None) -> None:
    """Raise an error if the options are invalid, or name a file or columns that do not exist.

    Nothing is checked if ``torchrun`` started several processes, of which one reports an error.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return
    options.check()
    if fit is not None:
        fit.check()
    if not _is_read_whole(options.table):
        return
    check_is_file(options.table)
    names = column_names(options.table, options.text_format)
    if names is None:
        return
    place, used = str(options.table), []

    def read() -> pd.DataFrame:
        return parse_table(read_bytes(options.table), options.table, options.text_format)[0]

    if options.target is not None:
        named_rows = _may_have_row_names(options.table)
        used.append(target_named(options.target, names, place, read if named_rows else None))
    for option, name in (
        *(("--id", name) for name in options.id),
        ("--groups", options.groups),
        ("--weights", options.weights),
        ("--time", options.time),
        ("--event", options.event and split_event(options.event, names)[0]),
    ):
        if name is not None:
            used.append(column_named(name, names, place, option))
    used += columns_to_drop(options.drop, names, place, options.target)
    left = len(names) - len(set(used))
    if fit is not None and isinstance(fit.n_features, int) and left:
        count_features(fit.n_features, left, place, all_usable=False)


def _may_have_row_names(path: Path) -> bool:
    """Return whether a file is small, and its second line does not begin with a number."""
    if path.stat().st_size > _QUICKLY_READ:
        return False
    with path.open("rb") as file:
        _, second = file.readline(), file.readline(_QUICKLY_READ)
    try:
        float(re.split(rb"[,;\t]", second)[0])
    except ValueError:
        return True
    return False


def check_files(model: Path, table: Path) -> None:
    """Raise an error if the file of a model or of a table does not exist."""
    if not model.exists():
        raise InputError(f"{model} does not exist.")
    if _is_read_whole(table):
        check_is_file(table)


def _is_read_whole(path: Path) -> bool:
    """Return whether the names of the columns are in the first line of a file."""
    return not path.is_dir() and path.name.lower().endswith(tuple(READERS))
