"""The options specific to ``ipcae select``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.commands.names import METHOD_NAMES
from ipcae.cli.commands.shared import option

TablePath = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        show_default=False,
        help="Table with named columns: .csv, .tsv, .txt (or .gz or .zip of them), .xlsx, "
        ".parquet or a folder of them, .npz, .npy, .zarr, .h5 or .h5ad.",
    ),
]
OutFolder = Annotated[
    Path | None,
    option(
        "DIR",
        "Folder for the results. By default, a new folder, such as patients-selected for "
        "patients.csv, is created in the current one.",
        "--out",
        "-o",
    ),
]
Count = Annotated[
    str | None,
    option(
        "K",
        "Number of columns to select, such as 20, or fraction of them, such as 0.1. "
        "Several, such as 5,10,20, or auto, are compared by cross-validation. With a --budget "
        "it is the largest number, and can be left out.",
        "-k",
    ),
]
Target = Annotated[
    str | None,
    option(
        "COLUMN",
        "Column to predict. If it is not given, the selected columns are those from "
        "which all others can be reconstructed.",
    ),
]
BatchKey = Annotated[
    str | None,
    option(
        "COLUMN",
        "Column of obs of a .h5ad file with the batch of a cell, such as the donor. "
        "All batches have the same weight, whole batches are held out, and metrics are given for "
        "each.",
    ),
]
ExpressionLimits = Annotated[
    str | None,
    option(
        "LOW:HIGH",
        "Limits on the expression of a gene of a .h5ad file (its 0.99 quantile), such as 1:4 "
        "or 1:. Genes outside are selected only if they are much better.",
    ),
]
Stream = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        show_default=False,
        help="Whether to read the table in parts instead of as a whole. By default, it is read "
        "in parts if it does not fit into the free memory. Not for text files.",
    ),
]
Include = Annotated[
    list[str] | None,
    option("COLUMN", "Column that is always selected, or a pattern. Can be repeated."),
]
Exclude = Annotated[
    list[str] | None,
    option(
        "COLUMN",
        "Column that is never selected, or a pattern. Unlike a dropped column, it can "
        "still be reconstructed. Can be repeated.",
    ),
]
Together = Annotated[
    list[str] | None,
    option(
        "PATTERN",
        "Columns that are measured together, such as '^acc_': all or none of them are "
        "selected, and they count as one. Can be repeated.",
    ),
]
AtMost = Annotated[
    list[str] | None,
    option("N:PATTERN", "Select at most N of these columns, such as 1:^EEG_. Can be repeated."),
]
Costs = Annotated[
    Path | None,
    option(
        "FILE",
        "File (.csv) with the name and the cost of every column and, optionally, its "
        "group: columns of a group are measured together.",
    ),
]
Budget = Annotated[float | None, option("COST", "Largest total cost of the selected columns.")]
Weights = Annotated[
    str | None,
    option(
        "COLUMN",
        "Column with the weight of every row in training, such as that of a survey. The "
        "metrics on held-out rows are not weighted.",
    ),
]
Cv = Annotated[
    int | None,
    option(
        "N",
        "Number of folds of the cross-validation. By default 5 if several numbers of "
        "columns are compared.",
    ),
]
Scoring = Annotated[
    str | None,
    option("NAME", "scikit-learn score that chooses the number of columns, such as roc_auc."),
]
Method = Annotated[
    str | None,
    option(
        "NAME",
        "Method. By default, it depends on the task and the number of rows. auto uses the "
        f"best of several in cross-validation. Others: {', '.join(METHOD_NAMES)}.",
    ),
]
Runs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of models to train from different seeds. The best one is kept. By default "
        "5, or 3 from 20,000 training rows on.",
    ),
]
Epochs = Annotated[
    int | None,
    option(
        "N",
        "Number of training epochs. By default 200, or fewer with many rows.",
    ),
]
TestFraction = Annotated[
    float, typer.Option(metavar="F", help="Fraction of the rows to hold out for evaluation.")
]
ClassWeight = Annotated[
    str | None, option("balanced", "Give rare classes as much weight as common ones in training.")
]
Stability = Annotated[
    int | None,
    option(
        "N",
        "Select again from N subsamples of half of the rows, such as 100, and report how "
        "often every column is selected.",
    ),
]
Consensus = Annotated[
    bool,
    typer.Option(
        "--consensus",
        help="Use the columns that are selected from most subsamples of --stability, instead "
        "of those of the best run.",
    ),
]
Fdr = Annotated[
    float | None,
    option(
        "RATE",
        "Compare the columns with decoys, and report which of them pass at this false "
        "discovery rate, such as 0.1.",
    ),
]
Loss = Annotated[
    str | None,
    option(
        "NAME",
        "Loss, such as huber for a numeric target with outliers, or poisson, negative_binomial or "
        "hurdle to reconstruct counts.",
    ),
]
ReconstructionWeight = Annotated[
    float | None,
    option(
        "W",
        "With --task panel, the weight of the reconstruction of all columns, from 0 "
        "(only predict the target) to 1. By default 0.5.",
    ),
]
NoVerdict = Annotated[
    bool,
    typer.Option(
        "--no-verdict",
        help="Do not test whether the result is better than chance, which takes about as "
        "long as the selection.",
    ),
]
Checkpoint = Annotated[
    Path | None,
    option("DIR", "Folder in which to save the state of the training regularly, for --resume."),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Resume the training saved in --checkpoint.")
]
Spread = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="What is divided among the processes of torchrun: runs, or the rows of every batch.",
    ),
]
Live = Annotated[
    bool,
    typer.Option("--live", help="Serve the training curves on a local web page."),
]
LivePort = Annotated[int, option("N", "Port for --live. By default any free port.")]
