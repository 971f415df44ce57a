"""The arguments and options of ``ipcae select``."""

from __future__ import annotations

from ipcae.cli.commands.select_options import (
    AtMost,
    BatchKey,
    Budget,
    Checkpoint,
    ClassWeight,
    Consensus,
    Costs,
    Count,
    Cv,
    Epochs,
    Exclude,
    ExpressionLimits,
    Fdr,
    Include,
    Live,
    LivePort,
    Loss,
    Method,
    NoVerdict,
    OutFolder,
    ReconstructionWeight,
    Resume,
    Runs,
    Scoring,
    Spread,
    Stability,
    Stream,
    TablePath,
    Target,
    TestFraction,
    Together,
    Weights,
)
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
    Layer,
    Missing,
    MissingValue,
    Quiet,
    Seed,
    Sep,
    Task,
    Time,
)
from ipcae.cli.exits import with_exit_code


@with_exit_code
def select(
    table: TablePath,
    k: Count = None,
    target: Target = None,
    out: OutFolder = None,
    time: Time = None,
    event: Event = None,
    layer: Layer = None,
    batch_key: BatchKey = None,
    expression_limits: ExpressionLimits = None,
    stream: Stream = None,
    task: Task = None,
    drop: Drop = None,
    id: Id = None,
    include: Include = None,
    exclude: Exclude = None,
    together: Together = None,
    at_most: AtMost = None,
    costs: Costs = None,
    budget: Budget = None,
    groups: Groups = None,
    weights: Weights = None,
    cv: Cv = None,
    scoring: Scoring = None,
    missing: Missing = "error",
    missing_value: MissingValue = None,
    drop_missing: DropMissing = False,
    dates: Dates = "ignore",
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    method: Method = None,
    runs: Runs = 5,
    epochs: Epochs = None,
    test_fraction: TestFraction = 0.2,
    seed: Seed = 0,
    class_weight: ClassWeight = None,
    stability: Stability = None,
    consensus: Consensus = False,
    fdr: Fdr = None,
    loss: Loss = None,
    reconstruction_weight: ReconstructionWeight = None,
    no_verdict: NoVerdict = False,
    device: Device = "auto",
    grid: Grid = None,
    checkpoint: Checkpoint = None,
    resume: Resume = False,
    spread: Spread = "runs",
    live: Live = False,
    live_port: LivePort = 0,
    force: Force = False,
    quiet: Quiet = False,
) -> int:
    """Select the K most informative columns of TABLE and write them to DIR.

    Example: ipcae select patients.csv --target diagnosis -k 20 --out panel

    Writes selected.txt (one column per line, best first), ranking.csv (all columns), metrics.json
    (on the held-out rows), settings.json, history.csv, training.png, selection.png,
    model.safetensors (for ipcae predict) and report.html (everything on one page). In .csv files,
    column names that a spreadsheet would run as a formula are prefixed with an apostrophe.
    """
    from ipcae.cli.early_checks import check_early
    from ipcae.cli.options.k_option import parse_counts
    from ipcae.cli.options.selection_options import (
        FitOptions,
        InputOptions,
        OutputOptions,
        parse_grid,
        parse_limits,
    )
    from ipcae.cli.outputs.folder import new_folder

    largest, counts = parse_counts(k)
    of_counts = _is_of_counts(loss)
    input_options = InputOptions(
        table.expanduser(),
        target=target,
        task=task,
        drop=tuple(drop or ()),
        missing="drop" if drop_missing else missing,
        missing_values=tuple(missing_value or ()),
        dates=dates,
        id=tuple(id or ()),
        groups=groups,
        weights=weights,
        sep=sep,
        decimal=decimal,
        encoding=encoding,
        time=time,
        event=event,
        layer=layer,
        batch_key=batch_key,
        counts_expected=of_counts,
        stream=stream,
        method=method,
        needs_all_rows=bool(cv or stability or fdr or counts or of_counts),
    )
    fit_options = FitOptions(
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
        expression_limits=parse_limits(expression_limits),
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
    )
    output_options = OutputOptions(
        out=out.expanduser() if out else new_folder(table),
        grid=parse_grid(grid),
        force=force,
        quiet=quiet,
        live_port=live_port if live or live_port else None,
    )
    check_early(input_options, fit_options)
    from ipcae.cli.select import select_columns  # imports PyTorch, which takes seconds

    return select_columns(input_options, fit_options, output_options, spread_over=spread)


def _is_of_counts(loss: str | None) -> bool:
    if loss is None:
        return False
    from ipcae.cli.options.objective import expects_counts

    return expects_counts(loss)
