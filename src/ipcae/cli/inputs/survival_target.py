"""The two columns of a survival target: the time and the event."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ipcae.cli.inputs.columns import is_number as is_numeric
from ipcae.cli.inputs.detection import DetectedTask
from ipcae.cli.inputs.finding_columns import column_named, split_event
from ipcae.cli.options.selection_options import InputOptions
from ipcae.errors import InputError
from ipcae.quantities import is_number
from ipcae.tables.encodings.cells import cells_of
from ipcae.tasks import TASKS, Survival
from ipcae.tasks.censored import times_and_events
from ipcae.text import listed

_HAPPENED = frozenset(["1", "true", "yes", "y", "event", "dead", "died", "deceased"])
_CENSORED = frozenset(["0", "false", "no", "n", "censored", "alive", "living"])
_CODE = re.compile(r"^([01])\s*[:=-]\s*(?=\D)")


def survival_columns(
    options: InputOptions, names: Sequence[str], place: str
) -> tuple[str, str] | None:
    """Return the names of the columns of ``--time`` and ``--event``, or None without them."""
    if options.time is None and options.event is None:
        return None
    if options.time is None or options.event is None:
        given, missing = ("--time", "--event") if options.event is None else ("--event", "--time")
        raise InputError(f"{given} is given without {missing}: survival analysis needs both.")
    if options.target is not None:
        raise InputError("--target is given together with --time and --event: remove one of them.")
    if options.task is not None and not TASKS[options.task].censored:
        raise InputError(
            f"--time and --event are for survival analysis: remove them, or --task {options.task}."
        )
    time = column_named(options.time, names, place, "--time")
    event = column_named(split_event(options.event, names)[0], names, place, "--event")
    if time == event:
        raise InputError(f'"{time}" is both --time and --event: expected two columns.')
    return time, event


def survival_target(
    table: pd.DataFrame, columns: tuple[str, str], options: InputOptions
) -> pd.DataFrame:
    """Return times and events; with ``--event status=2``, whether the event has this value."""
    target = table[list(columns)].reset_index(drop=True)
    value = split_event(str(options.event), list(table.columns))[1]
    if value is None:
        return target
    event = target[columns[1]]
    happened = event.map(lambda cell: _is_value(cell, value))
    if not happened.any():
        values = [str(each) for each in event.dropna().unique()]
        raise InputError(
            f'"{columns[1]}" (--event) of {options.table} is never {value}: it is {listed(values)}.'
        )
    return target.assign(**{columns[1]: happened.astype(float).mask(event.isna())})


def _is_value(cell: object, value: str) -> bool:
    """Return whether a cell has the value, as a number or as text.

    >>> _is_value(2.0, "2"), _is_value(" Dead", "dead"), _is_value(1, "2")
    (True, True, False)
    """
    if isinstance(cell, int | float | np.number):
        return is_number(value) and float(value) == float(cell)
    return str(cell).strip().casefold() == value.casefold()


def read_survival(target: pd.DataFrame, place: str) -> tuple[DetectedTask, NDArray[np.float64]]:
    """Return the task, and times and events. Shape: target (N, 2), the time first -> (N, 2)."""
    time, event = target.columns
    times = _times(target[time], place)
    target = target.assign(**{time: times, event: _zeros_and_ones(target[event])})
    known = target[event].isin([0, 1])
    if not known.all():
        raise InputError(
            f'"{event}" (--event) of {place} contains {target[event][~known].iloc[0]!s}: expected '
            "1 if the event happened, and 0 if the row is censored; or yes and no, or dead and "
            "alive. If it has other values, name that of the event, such as "
            f"--event {event}={target[event][~known].iloc[0]!s}."
        )
    values = times_and_events(
        target.set_axis(["time", "event"], axis=1), f'{place} ("{time}" and "{event}")'
    )
    if not values[:, 1].any():
        raise InputError(
            f'"{event}" (--event) of {place} has no event, all rows are censored: expected 1 where '
            "it happened."
        )
    events = f"{int(values[:, 1].sum()):,} of {len(values):,} rows have the event"
    return DetectedTask(Survival, "--time and --event are given", events), values


def _times(times: pd.Series, place: str) -> pd.Series:
    """Return times as numbers, which may be written with a unit, such as "12 months".

    >>> _times(pd.Series(["12 months", "7 months"]), "patients.csv").tolist()
    [12.0, 7.0]
    """
    if is_numeric(times):
        return times
    cells = cells_of(times)
    if cells.storage != "number" or cells.n_limits:
        texts = times.dropna().astype(str).str.strip()
        others = texts[[not is_number(text) for text in texts]]
        raise InputError(
            f'"{times.name}" (--time) of {place} contains "{others.iloc[0]}": expected numbers, '
            "such as the days from the start of observation to the event or the last contact."
        )
    return pd.Series(cells.values, index=times.index)


def _zeros_and_ones(events: pd.Series) -> pd.Series:
    """Return events that are written as words as 1 and 0; other columns as they are.

    A code may be followed by what it means, as in the tables of cBioPortal.

    >>> _zeros_and_ones(pd.Series(["Dead", "alive ", "Dead"])).tolist()
    [1, 0, 1]
    >>> _zeros_and_ones(pd.Series(["1:Recurred/Progressed", "0:DiseaseFree"])).tolist()
    [1, 0]
    """
    if is_numeric(events):
        return events
    words = events.astype(str).str.strip().str.lower()
    codes, labels = words.str.extract(_CODE, expand=False), words.str.replace(_CODE, "", regex=True)
    words = codes.where(codes.notna() & ~labels.isin(_HAPPENED | _CENSORED), labels)
    return events.mask(words.isin(_HAPPENED), 1).mask(words.isin(_CENSORED), 0)
