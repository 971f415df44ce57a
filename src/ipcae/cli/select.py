"""``ipcae select``: select columns of a table and write the results to a folder."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ipcae.cli import exits
from ipcae.cli.described_columns import columns_table
from ipcae.cli.experiment import Experiment, Result, plan_experiment, run_experiment
from ipcae.cli.input_table import InputTable, read_input_table
from ipcae.cli.live import serving
from ipcae.cli.messages import Messages
from ipcae.cli.options import FitOptions, InputOptions
from ipcae.cli.outputs import check_unused, check_writable
from ipcae.cli.report import REPORT
from ipcae.cli.results import RESULT_FILES, expected_bytes, write_results
from ipcae.cli.settings_file import settings_of
from ipcae.cli.subsamples import (
    control_discoveries,
    measure_stability,
    require_independent_rows,
)
from ipcae.cli.summary import describe_experiment, print_result
from ipcae.cli.together import checked_together
from ipcae.cli.verdict import reach_verdict
from ipcae.distributed import WAYS, spread
from ipcae.errors import InputError
from ipcae.filesystem.locks import locked
from ipcae.grids import Grid, check_grid
from ipcae.report.live import LiveCurves


def select_columns(
    input_options: InputOptions,
    fit_options: FitOptions,
    out: Path,
    *,
    force: bool,
    quiet: bool,
    live_port: int | None = None,
    grid: Grid | None = None,
    spread_over: str = "runs",
) -> int:
    """Check the input, train and write the results; return the exit code."""
    if spread_over not in WAYS:
        raise InputError(f"--spread {spread_over} is not understood: expected {' or '.join(WAYS)}.")
    with spread(spread_over) as processes:
        messages = Messages(quiet or not processes.first)
        with checked_together(processes):
            input_options.check()
            fit_options.check()
            require_independent_rows(input_options, fit_options)
            if processes.first:
                check_unused(out, RESULT_FILES, force=force)
            table = read_input_table(input_options, messages)
            _show_columns(table, messages)
            check_grid(grid, table.X.shape[1])
            experiment = plan_experiment(table, fit_options, messages)
            if processes.first:
                check_writable(out, expected_bytes(experiment))
        if not processes.first:
            return _assist(experiment, messages)
        more: dict[str, Any] = {"grid": grid, "out": out, "force": force, "quiet": quiet}
        if processes.size > 1:
            more["spread"] = f"{spread_over} over {processes.size} processes"
        return _select_and_write(experiment, {**asdict(input_options), **more}, messages, live_port)


def _show_columns(table: InputTable, messages: Messages) -> None:
    """Say what is done with the columns, before an error that may be about them."""
    described = None if table.columns is None else columns_table(table.columns)
    if described is not None:
        messages.show(described)
        messages.say()


def _select_and_write(
    experiment: Experiment, arguments: dict[str, Any], messages: Messages, live_port: int | None
) -> int:
    """Train and write the results; return the exit code."""
    table, out, grid = experiment.table, arguments["out"], arguments["grid"]
    messages.say(describe_experiment(experiment))
    n_columns = table.X.shape[1]
    title = f"{arguments['table'].name}: {experiment.n_selected:,} of {n_columns:,} columns"

    curves = LiveCurves()
    with locked(out), serving(curves, title, live_port) as address:
        # Another process may have written results before the folder was locked.
        check_unused(out, RESULT_FILES, force=arguments["force"])
        if address:
            messages.say(f"Training curves: {address}")
        result = run_experiment(experiment, messages, curves)
        if experiment.options.verdict and not result.interrupted:
            curves.say("Training is done. Comparing the result with chance.")
            chance = reach_verdict(result.experiment, result.selector, messages)
            result = replace(result, chance=chance, warnings=list(messages.warnings))
        result = _about_subsamples(result, messages, curves)
        if arguments["missing_values"]:  # for ipcae predict
            result.selector.missing_values_ = list(arguments["missing_values"])
        curves.say("Training is done. Writing the results.")
        used = {**arguments, **asdict(result.experiment.options)}
        settings = settings_of(result, used)

        def show() -> None:
            print_result(result, messages)
            messages.note("writing plots and the report")

        with messages.showing_warnings():
            written = write_results(out, result, settings, messages, grid, show)
        state = "Interrupted" if result.interrupted else "Finished"
        place = (
            f"The report is {out / REPORT}" if REPORT in written else f"The results are in {out}"
        )
        curves.say(f"{state}. {place}.", finished=True)
    first = f"Open {out / REPORT} in a browser. " if REPORT in written else ""
    messages.say(f"\n{first}Files in {out}: {', '.join(written)}")
    return exits.INTERRUPTED if result.interrupted else exits.OK


def _about_subsamples(result: Result, messages: Messages, curves: LiveCurves) -> Result:
    """Add what ``--stability`` and ``--fdr`` ask for; it is saved with the selector."""
    selector, options = result.selector, result.experiment.options
    stability = getattr(selector, "row_stability_", None)  # of a consensus
    discoveries = None
    if not result.interrupted:
        if options.stability is not None and stability is None:
            curves.say("Training is done. Selecting from subsamples of the rows.")
            stability = measure_stability(result.experiment, selector, messages)
        if options.fdr is not None:
            curves.say("Training is done. Comparing with decoys.")
            discoveries = control_discoveries(result.experiment, selector, messages)
    if stability is not None:
        selector.row_stability_ = stability
    if discoveries is not None:
        selector.fdr_selection_ = discoveries
    found = list(messages.warnings)
    return replace(result, stability=stability, discoveries=discoveries, warnings=found)


def _assist(experiment: Experiment, messages: Messages) -> int:
    """Train with the first process, which writes the results; return the exit code."""
    result = run_experiment(experiment, messages)
    if result.interrupted:
        return exits.INTERRUPTED
    if experiment.options.verdict:
        reach_verdict(result.experiment, result.selector, messages)
    _about_subsamples(result, messages, LiveCurves())
    return exits.OK
