"""The arguments and options of ``ipcae select``."""

from __future__ import annotations

from ipcae.cli.commands import select_options, shared
from ipcae.cli.exits import with_exit_code


@with_exit_code
def select(
    table: select_options.TablePath,
    k: select_options.Count = None,
    target: select_options.Target = None,
    out: select_options.OutFolder = None,
    time: shared.Time = None,
    event: shared.Event = None,
    layer: shared.Layer = None,
    batch_key: select_options.BatchKey = None,
    expression_limits: select_options.ExpressionLimits = None,
    stream: select_options.Stream = None,
    task: shared.Task = None,
    drop: shared.Drop = None,
    id: shared.Id = None,
    include: select_options.Include = None,
    exclude: select_options.Exclude = None,
    together: select_options.Together = None,
    at_most: select_options.AtMost = None,
    costs: select_options.Costs = None,
    budget: select_options.Budget = None,
    groups: shared.Groups = None,
    weights: select_options.Weights = None,
    cv: select_options.Cv = None,
    scoring: select_options.Scoring = None,
    missing: shared.Missing = "error",
    missing_value: shared.MissingValue = None,
    drop_missing: shared.DropMissing = False,
    dates: shared.Dates = "ignore",
    sep: shared.Sep = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    method: select_options.Method = None,
    runs: select_options.Runs = None,
    epochs: select_options.Epochs = None,
    test_fraction: select_options.TestFraction = 0.2,
    seed: shared.Seed = 0,
    class_weight: select_options.ClassWeight = None,
    stability: select_options.Stability = None,
    consensus: select_options.Consensus = False,
    fdr: select_options.Fdr = None,
    loss: select_options.Loss = None,
    reconstruction_weight: select_options.ReconstructionWeight = None,
    no_verdict: select_options.NoVerdict = False,
    device: shared.Device = "auto",
    grid: shared.Grid = None,
    checkpoint: select_options.Checkpoint = None,
    resume: select_options.Resume = False,
    spread: select_options.Spread = "runs",
    live: select_options.Live = False,
    live_port: select_options.LivePort = 0,
    force: shared.Force = False,
    quiet: shared.Quiet = False,
) -> int:
    """Select the K most informative columns of TABLE and write them to DIR.

    Example: ipcae select patients.csv --target diagnosis -k 20 --out panel

    Writes selected.txt (one column per line, best first), ranking.csv (all columns), metrics.json
    (on the held-out rows), settings.json, history.csv, training.png, selection.png,
    model.safetensors (for ipcae predict) and report.html (everything on one page). In .csv files,
    column names that a spreadsheet would run as a formula are prefixed with an apostrophe.
    """
    given = locals()  # the options by name
    from ipcae.cli.early_checks import check_early
    from ipcae.cli.options.k_option import parse_counts
    from ipcae.cli.options.parsing import parse_grid, parse_limits
    from ipcae.cli.options.selection_options import (
        FitOptions,
        InputOptions,
        OutputOptions,
        options_of,
    )
    from ipcae.cli.outputs.folder import new_folder

    largest, counts = parse_counts(k)
    of_counts = _is_of_counts(loss)
    input_options = options_of(
        InputOptions,
        given,
        missing="drop" if drop_missing else missing,
        missing_values=tuple(missing_value or ()),
        counts_expected=of_counts,
        needs_all_rows=bool(cv or stability or fdr or counts or of_counts),
    )
    fit_options = options_of(
        FitOptions,
        given,
        n_features=largest,
        counts=counts,
        expression_limits=parse_limits(expression_limits),
        verdict=not no_verdict,
    )
    output_options = options_of(
        OutputOptions,
        given,
        out=out.expanduser() if out else new_folder(table),
        grid=parse_grid(grid),
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
