"""``ipcae select``: from a table to a folder with the selection."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ipcae.cli import exits, summary
from ipcae.cli.experiment import plan_experiment, run_experiment
from ipcae.cli.live import serving
from ipcae.cli.messages import Messages
from ipcae.cli.options import Options
from ipcae.cli.outputs import check_unused, check_writable
from ipcae.cli.problem import Request, read_problem
from ipcae.cli.report import REPORT
from ipcae.cli.results import RESULT_FILES, expected_bytes, write_results
from ipcae.cli.settings import describe, describe_file
from ipcae.grids import Grid, check_grid
from ipcae.locks import locked
from ipcae.report.live import LiveCurves


def select_columns(
    request: Request,
    options: Options,
    out: Path,
    *,
    force: bool,
    quiet: bool,
    live_port: int | None = None,
    grid: Grid | None = None,
) -> int:
    """Check everything, then train, then write; return the exit code."""
    messages = Messages(quiet)
    options.check()
    check_unused(out, RESULT_FILES, force=force)
    problem = read_problem(request, messages)
    check_grid(grid, problem.X.shape[1])
    experiment = plan_experiment(problem, options)
    source = describe_file(request.table)
    check_writable(out, expected_bytes(experiment))
    messages.say(summary.asked(experiment))
    more = {"grid": grid, "out": out, "force": force, "quiet": quiet}
    arguments = {**asdict(request), **asdict(options), **more}
    title = f"{request.table.name}: {experiment.n_selected:,} of {problem.X.shape[1]:,} columns"

    curves = LiveCurves()
    with locked(out), serving(curves, title, live_port) as address:
        # Another process may have written them since.
        check_unused(out, RESULT_FILES, force=force)
        if address:
            messages.say(f"Watch it at {address}")
        result = run_experiment(experiment, messages, curves)
        curves.say("Trained. Now the results are written.")
        written = write_results(out, result, describe(result, arguments, source), messages, grid)
        state = "Interrupted" if result.interrupted else "Finished"
        place = (
            f"The report is {out / REPORT}" if REPORT in written else f"The results are in {out}"
        )
        curves.say(f"{state}. {place}.", finished=True)
    messages.say(summary.found(result))
    first = f"Open {out / REPORT} in a browser. " if REPORT in written else ""
    messages.say(f"\n{first}In {out}: {', '.join(written)}")
    return exits.INTERRUPTED if result.interrupted else exits.OK
