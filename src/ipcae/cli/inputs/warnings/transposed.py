"""Warn of tables whose rows are genes: columns are selected, not rows."""

from __future__ import annotations

import re

import pandas as pd

from ipcae.cli.messages import Messages

_NAME = re.compile(
    r"(gene|probe|probeset|transcript|protein|ensembl|hgnc|entrez)s?([ _.-]?(id|name|symbol)s?)?",
    re.IGNORECASE,
)
# Of Ensembl and RefSeq, of methylation and expression arrays, and variants of dbSNP.
_ACCESSION = re.compile(
    r"ENS[A-Z]*[GTP]\d{5,}(\.\d+)?|[NX][MR]_\d+(\.\d+)?|cg\d{8}(_\w+)?|\d{3,}(_[asx])?_at|ILMN_\d+"
    r"|rs\d{3,}"
)
_FEWEST, _DIFFERENT = 10, 0.9  # a gene may have several probes


def warn_of_gene_rows(table: pd.DataFrame, place: str, messages: Messages) -> None:
    """Warn if the first column, or the names of the rows, identify genes.

    >>> messages = Messages(quiet=True)
    >>> genes = pd.DataFrame({"gene": [f"G{max(i, 1)}" for i in range(20)], "patient": range(20)})
    >>> warn_of_gene_rows(genes, "expression.csv", messages)
    >>> messages.warnings[0].split(":")[0]
    'the rows of expression.csv seem to be genes, but columns are selected'
    """
    if _are_genes(_row_names(table)):
        messages.warn(
            f"the rows of {place} seem to be genes, but columns are selected: if every column is a "
            "sample, exchange rows and columns first."
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
            " Its rows seem to be genes: exchange rows and columns, and add the target as a column."
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
