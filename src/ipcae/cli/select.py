"""``ipcae select``: select columns of a table and write the results to a folder."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from ipcae.cli import exits
from ipcae.cli.experiment import Experiment, plan_experiment
from ipcae.cli.experiment_result import Result, run_experiment
from ipcae.cli.inputs.described_columns import columns_table
from ipcae.cli.inputs.input_table import InputTable, read_input_table
from ipcae.cli.live import serving
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import FitOptions, InputOptions, OutputOptions
from ipcae.cli.outputs.folder import check_unused, check_writable
from ipcae.cli.outputs.report import REPORT
from ipcae.cli.outputs.results import RESULT_FILES, expected_bytes, write_results
from ipcae.cli.outputs.settings_file import settings_of
from ipcae.cli.outputs.summary import describe_experiment, print_result
from ipcae.cli.outputs.verdict import reach_verdict, warn_if_not_confirmed
from ipcae.cli.subsamples import (
    control_discoveries,
    measure_stability,
    require_independent_rows,
)
from ipcae.cli.together import checked_together
from ipcae.distributed import WAYS, spread
from ipcae.errors import InputError
from ipcae.estimators.one_fit.far_targets import far_targets_sentence, predicts_numbers
from ipcae.filesystem.locks import locked
from ipcae.grids import check_grid
from ipcae.report.live import LiveCurves
from ipcae.training import Checkpoint

_INCOMPLETE = (
    "interrupted while writing, so that files are missing in {folder}: ipcae report writes the "
    "report, and ipcae select with --force everything."
)


def select_columns(
    input_options: InputOptions,
    fit_options: FitOptions,
    output_options: OutputOptions,
    spread_over: str = "runs",
) -> int:
    """Check the input, train and write the results; return the exit code."""
    if spread_over not in WAYS:
        raise InputError(f"--spread {spread_over} is not understood: expected {' or '.join(WAYS)}.")
    with spread(spread_over) as processes:
        messages = Messages(output_options.quiet or not processes.first)
        with checked_together(processes):
            input_options.check()
            fit_options.check()
            require_independent_rows(input_options, fit_options)
            if processes.first:
                check_unused(output_options.out, RESULT_FILES, force=output_options.force)
            table = read_input_table(input_options, messages)
            _show_columns(table, messages)
            _warn_of_far_targets(table, fit_options, messages)
            check_grid(output_options.grid, table.X.shape[1])
            experiment = plan_experiment(table, fit_options, messages)
            if processes.first:
                check_writable(output_options.out, expected_bytes(experiment))
        if not processes.first:  # the first process writes the results
            result = _run(experiment, messages, LiveCurves())
            return exits.INTERRUPTED if result.interrupted else exits.OK
        kept = ("grid", "out", "force", "quiet")
        arguments = asdict(input_options) | {name: getattr(output_options, name) for name in kept}
        if processes.size > 1:
            arguments["spread"] = f"{spread_over} over {processes.size} processes"
        return _select_and_write(experiment, output_options, arguments, messages)


def _show_columns(table: InputTable, messages: Messages) -> None:
    """Say what is done with the columns, before an error that may be about them."""
    described = None if table.columns is None else columns_table(table.columns)
    if described is not None:
        messages.show(described)
        messages.say()


def _warn_of_far_targets(table: InputTable, options: FitOptions, messages: Messages) -> None:
    if table.y is None or not predicts_numbers(table.task.task) or options.loss == "huber":
        return
    name = f'the target "{table.target}"'
    if sentence := far_targets_sentence(table.y, name, "--loss huber"):
        messages.warn(sentence)


def _select_and_write(
    experiment: Experiment, options: OutputOptions, arguments: dict[str, Any], messages: Messages
) -> int:
    """Train and write the results; return the exit code.

    ``arguments`` are those of settings.json, without those of the fit.
    """
    table, out = experiment.table, options.out
    messages.say(describe_experiment(experiment))
    name, n_columns = arguments["table"].name, table.X.shape[1]
    title = f"{name}: {experiment.n_selected:,} of {n_columns:,} columns"
    curves = LiveCurves()
    with locked(out), serving(curves, title, options.live_port) as address:
        # Another process may have written results before the folder was locked.
        check_unused(out, RESULT_FILES, force=options.force)
        if address:
            messages.say(f"Training curves: {address}")
        try:
            result = _run(experiment, messages, curves)
        except KeyboardInterrupt:
            how = _how_to_resume(experiment, "--resume")
            return exits.print_error(f"interrupted; nothing was written.{how}", exits.INTERRUPTED)
        if arguments["missing_values"]:  # for ipcae predict
            result.selector.missing_values_ = list(arguments["missing_values"])
        curves.say("Training is done. Writing the results.")
        settings = settings_of(result, arguments | asdict(result.experiment.options))

        def show() -> None:
            print_result(result, messages)
            messages.note("writing plots and the report")

        with messages.showing_warnings():
            try:
                written = write_results(out, result, settings, messages, options.grid, show)
            except KeyboardInterrupt:
                return exits.print_error(_INCOMPLETE.format(folder=out), exits.INTERRUPTED)
        state = "Interrupted" if result.interrupted else "Finished"
        place = (
            f"The report is {out / REPORT}" if REPORT in written else f"The results are in {out}"
        )
        curves.say(f"{state}. {place}.", finished=True)
    first = f"Open {out / REPORT} in a browser. " if REPORT in written else ""
    how = _how_to_resume(experiment, "--resume --force") if result.interrupted else ""
    messages.say(f"\n{first}Files in {out}: {', '.join(written)}{how and '.' + how}")
    return exits.INTERRUPTED if result.interrupted or messages.interrupted else exits.OK


def _how_to_resume(experiment: Experiment, options: str) -> str:
    """Return how to resume an interrupted training, as a sentence, if it was saved."""
    folder = experiment.options.checkpoint
    if folder is None or not Checkpoint(folder).in_use:
        return ""
    return f" The training is saved in {folder}: repeat the command with {options} to continue it."


def _run(experiment: Experiment, messages: Messages, curves: LiveCurves) -> Result:
    """Train, compare with chance, and do what ``--stability`` and ``--fdr`` ask for."""
    result = run_experiment(experiment, messages, curves)
    if experiment.options.verdict and not result.interrupted:
        curves.say("Training is done. Comparing the result with chance.")
        chance = reach_verdict(result, messages)
        warn_if_not_confirmed(result, chance, messages)
        result = replace(result, chance=chance, warnings=list(messages.warnings))
    return _with_subsamples(result, messages, curves)


def _with_subsamples(result: Result, messages: Messages, curves: LiveCurves) -> Result:
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
