"""The arguments and options of ``ipcae select``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.commands.shared import (
    Dates,
    Decimal,
    Device,
    Drop,
    DropMissing,
    Encoding,
    Event,
    Force,
    Grid,
    Groups,
    Id,
    Missing,
    Quiet,
    Seed,
    Sep,
    Task,
    Time,
)
from ipcae.cli.exits import exit_code
from ipcae.selectors import METHODS


def select(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            show_default=False,
            help="Table with named columns: .csv, .tsv, .txt (or .gz of them), .parquet or a "
            "folder of them, .npz, .npy, .zarr, .h5 or .h5ad.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="DIR", show_default=False, help="Folder for the results."
        ),
    ],
    k: Annotated[
        str | None,
        typer.Option(
            "-k",
            metavar="K",
            show_default=False,
            help="Number of columns to select, such as 20, or fraction of them, such as 0.1. "
            "Several, such as 5,10,20, or auto, are compared by cross-validation. With a --budget "
            "it is the largest number, and can be left out.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            show_default=False,
            help="Column to predict. If it is not given, the selected columns are those from "
            "which all others can be reconstructed.",
        ),
    ] = None,
    time: Time = None,
    event: Event = None,
    layer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Layer of a .h5ad file with the expression values. By default X.",
        ),
    ] = None,
    batch_key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            show_default=False,
            help="Column of obs of a .h5ad file with the batch of a cell, such as the donor. Whole "
            "batches are held out for evaluation, and metrics are given for each of them.",
        ),
    ] = None,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            show_default=False,
            help="Whether to read the table in parts instead of as a whole. By default, it is read "
            "in parts if it does not fit into the free memory. Not for text files.",
        ),
    ] = None,
    task: Task = None,
    drop: Drop = None,
    id: Id = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            show_default=False,
            help="Column that is always selected, or a pattern. Can be repeated.",
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            show_default=False,
            help="Column that is never selected, or a pattern. Unlike a dropped column, it can "
            "still be reconstructed. Can be repeated.",
        ),
    ] = None,
    together: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            show_default=False,
            help="Columns that are measured together, such as '^acc_': all or none of them are "
            "selected, and they count as one. Can be repeated.",
        ),
    ] = None,
    at_most: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N:PATTERN",
            show_default=False,
            help="Select at most N of these columns, such as 1:^EEG_. Can be repeated.",
        ),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="File (.csv) with the name and the cost of every column and, optionally, its "
            "group: columns of a group are measured together.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="COST",
            show_default=False,
            help="Largest total cost of the selected columns.",
        ),
    ] = None,
    groups: Groups = None,
    cv: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default=False,
            help="Number of folds of the cross-validation. By default 5 if several numbers of "
            "columns are compared.",
        ),
    ] = None,
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Score of scikit-learn that chooses the number of columns, such as roc_auc.",
        ),
    ] = None,
    missing: Missing = "error",
    drop_missing: DropMissing = False,
    dates: Dates = "ignore",
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help=f"One of {', '.join(METHODS)}. auto uses the best of "
            "several on this table. By default the method depends on the task and the number of "
            "rows.",
        ),
    ] = None,
    runs: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Number of models to train from different seeds. The best one is kept.",
        ),
    ] = 5,
    epochs: Annotated[int, typer.Option(metavar="N", help="Number of training epochs.")] = 200,
    test_fraction: Annotated[
        float, typer.Option(metavar="F", help="Fraction of the rows to hold out for evaluation.")
    ] = 0.2,
    seed: Seed = 0,
    class_weight: Annotated[
        str | None,
        typer.Option(
            metavar="balanced",
            show_default=False,
            help="Give rare classes as much weight as common ones in training.",
        ),
    ] = None,
    stability: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default=False,
            help="Select again from N subsamples of half of the rows, such as 100, and report how "
            "often every column is selected.",
        ),
    ] = None,
    consensus: Annotated[
        bool,
        typer.Option(
            "--consensus",
            help="Use the columns that are selected from most subsamples of --stability, instead "
            "of those of the best run.",
        ),
    ] = False,
    fdr: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            show_default=False,
            help="Compare the columns with decoys, and report which of them pass at this false "
            "discovery rate, such as 0.1.",
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Loss, such as huber for numbers with outliers, or poisson, negative_binomial or "
            "hurdle to reconstruct counts.",
        ),
    ] = None,
    reconstruction_weight: Annotated[
        float | None,
        typer.Option(
            metavar="W",
            show_default=False,
            help="With --task panel, the weight of the reconstruction of all columns, from 0 "
            "(only predict the target) to 1. By default 0.5.",
        ),
    ] = None,
    no_verdict: Annotated[
        bool,
        typer.Option(
            "--no-verdict",
            help="Do not test whether the result is better than chance, which takes about as "
            "long as the selection.",
        ),
    ] = False,
    device: Device = "auto",
    grid: Grid = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="Folder in which to save the state of the training regularly, for --resume.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the training saved in --checkpoint.")
    ] = False,
    spread: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is divided among the processes of torchrun: runs, or the rows of every "
            "batch.",
        ),
    ] = "runs",
    live: Annotated[
        bool,
        typer.Option("--live", help="Serve the training curves on a local web page."),
    ] = False,
    live_port: Annotated[
        int,
        typer.Option(
            metavar="N", show_default=False, help="Port for --live. By default any free port."
        ),
    ] = 0,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Select the K most informative columns of TABLE and write them to DIR.

    Example: ipcae select patients.csv --target diagnosis -k 20 --out panel

    Writes selected.txt (one column per line, best first), ranking.csv (all columns), metrics.json
    (on the held-out rows), settings.json, history.csv, training.png, selection.png,
    model.safetensors (for ipcae predict) and report.html (everything on one page). In .csv files,
    column names that a spreadsheet would run as a formula are prefixed with an apostrophe.
    """

    def work() -> int:
        from ipcae.cli.counts import parse_counts
        from ipcae.cli.objective import expects_counts
        from ipcae.cli.options import FitOptions, InputOptions, parse_grid
        from ipcae.cli.select import select_columns

        largest, counts = parse_counts(k)
        return select_columns(
            InputOptions(
                table.expanduser(),
                target=target,
                task=task,
                drop=tuple(drop or ()),
                missing="drop" if drop_missing else missing,
                dates=dates,
                id=tuple(id or ()),
                groups=groups,
                sep=sep,
                decimal=decimal,
                encoding=encoding,
                time=time,
                event=event,
                layer=layer,
                batch_key=batch_key,
                counts_expected=expects_counts(loss),
                stream=stream,
            ),
            FitOptions(
                n_features=largest,
                counts=counts,
                cv=cv,
                scoring=scoring,
                method=method,
                runs=runs,
                epochs=epochs,
                test_fraction=test_fraction,
                seed=seed,
                device=device,
                class_weight=class_weight,
                loss=loss,
                reconstruction_weight=reconstruction_weight,
                verdict=not no_verdict,
                stability=stability,
                consensus=consensus,
                fdr=fdr,
                checkpoint=checkpoint.expanduser() if checkpoint else None,
                resume=resume,
                include=tuple(include or ()),
                exclude=tuple(exclude or ()),
                together=tuple(together or ()),
                at_most=tuple(at_most or ()),
                costs=costs.expanduser() if costs else None,
                budget=budget,
            ),
            out.expanduser(),
            force=force,
            quiet=quiet,
            live_port=live_port if live or live_port else None,
            grid=parse_grid(grid),
            spread_over=spread,
        )

    raise typer.Exit(exit_code(work))
