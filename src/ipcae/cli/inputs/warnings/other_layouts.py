"""Warn of tables that are not one row per sample: rows are genes, or one value of a sample."""

from __future__ import annotations

import re

import pandas as pd

from ipcae.cli.inputs.columns import is_number
from ipcae.cli.messages import Messages

_NAME = re.compile(
    r"#?(gene|probe|probeset|transcript|protein|ensembl|hgnc|entrez|otu|asv|feature|metabolite)s?"
    r"([ _.-]?(id|name|symbol)s?)?",
    re.IGNORECASE,
)
# Of Ensembl and RefSeq, of methylation and expression arrays, and variants of dbSNP.
_ACCESSION = re.compile(
    r"ENS[A-Z]*[GTP]\d{5,}(\.\d+)?|[NX][MR]_\d+(\.\d+)?|cg\d{8}(_\w+)?|\d{3,}(_[asx])?_at|ILMN_\d+"
    r"|rs\d{3,}"
)
_FEWEST, _DIFFERENT = 10, 0.9  # a gene may have several probes


def warn_of_gene_rows(table: pd.DataFrame, place: str, messages: Messages) -> None:
    """Warn if the first column, or the names of the rows, identify genes or other features.

    >>> messages = Messages(quiet=True)
    >>> genes = pd.DataFrame({"gene": [f"G{max(i, 1)}" for i in range(20)], "patient": range(20)})
    >>> warn_of_gene_rows(genes, "expression.csv", messages)
    >>> messages.warnings[0].split(":")[0]
    'the rows of expression.csv seem to be genes or the like, but columns are selected'
    """
    if _are_genes(_row_names(table)):
        messages.warn(
            f"the rows of {place} seem to be genes or the like, but columns are selected: if every "
            "column is a sample, exchange rows and columns first."
        )


def advice_on_rows(table: pd.DataFrame, target: str) -> str:
    """Return what to do if a table has no column for the target because its rows are features.

    >>> advice_on_rows(pd.DataFrame({"ID": ["group", "BRCA1"], "S1": ["ill", "3"]}), "group")
    ' It has a row of this name: exchange rows and columns first.'
    """
    names = _row_names(table)
    if (names.astype(str).str.strip() == target).any():
        return " It has a row of this name: exchange rows and columns first."
    if _are_genes(names):
        return (
            " Its rows seem to be genes or the like: exchange rows and columns, and add the target "
            "as a column."
        )
    return ""


def _row_names(table: pd.DataFrame) -> pd.Series:
    """Return the names of the rows, or else the first column."""
    named = bool(table.attrs.get("row_names"))
    return table.index.to_series(name="") if named else table.iloc[:, 0]


def _are_genes(names: pd.Series) -> bool:
    differ = names.nunique() >= _DIFFERENT * len(names)
    if len(names) < _FEWEST or not differ or getattr(names.dtype, "kind", "O") in "biufmM":
        return False
    texts = names.astype(str).head(50)
    return bool(_NAME.fullmatch(str(names.name))) or all(map(_ACCESSION.fullmatch, texts))


_MOST_COLUMNS = 12
_FEWEST_SAMPLES, _COMPLETE = 5, 0.8


def warn_of_long_format(
    features: pd.DataFrame, target: pd.Series | None, messages: Messages
) -> None:
    """Warn if every row has one number, which was measured of the sample named in the row.

    >>> table = pd.DataFrame({"id": [i // 3 for i in range(30)], "lab": list("ABC") * 10})
    >>> messages = Messages(quiet=True)
    >>> warn_of_long_format(table.assign(result=range(30)), None, messages)
    >>> messages.warnings[0].split(":")[0]
    'the table seems to have a row for every "id" and "lab"'
    """
    found = _sample_and_measured(features, target)
    if found is None:
        return
    sample, measured, value = found
    index = f'"{sample}"' if target is None else f'["{sample}", "{target.name}"]'
    messages.warn(
        f'the table seems to have a row for every "{sample}" and "{measured}": if so, make one '
        f'column of "{value}" for every "{measured}" first, such as with pandas: '
        f'table.pivot(index={index}, columns="{measured}", values="{value}").reset_index().'
    )


def _sample_and_measured(
    features: pd.DataFrame, target: pd.Series | None
) -> tuple[str, str, str] | None:
    """Return the columns of the sample, of what was measured, and of the number; None if none."""
    if features.shape[1] > _MOST_COLUMNS:
        return None
    features = features.rename(columns=str)
    try:
        n_values = {name: int(features[name].nunique()) for name in features.columns.tolist()}
    except TypeError:  # lists or the like
        return None
    few = [c for c, n in n_values.items() if _FEWEST_SAMPLES <= n <= len(features) / 2]
    texts = [c for c, n in n_values.items() if n > 1 and not is_number(features[c])]
    for sample in few:
        for measured in [c for c in texts if c != sample]:
            n_cells = n_values[sample] * n_values[measured]
            if not _COMPLETE * n_cells <= len(features) <= n_cells:
                continue
            if features.duplicated([sample, measured]).any():
                continue
            groups = features[sample]
            if target is not None and (target.groupby(groups.to_numpy()).nunique() > 1).any():
                continue
            others = features.drop(columns=[sample, measured])
            varying = others.columns[(others.groupby(groups).nunique() > 1).any()]
            if len(varying) == 1 and is_number(features[varying[0]]):
                return sample, measured, str(varying[0])
    return None
