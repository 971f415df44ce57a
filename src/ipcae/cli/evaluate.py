"""``ipcae evaluate``: evaluate a given list of columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ipcae.cli import exits
from ipcae.cli.feature_list import read_list
from ipcae.cli.inputs.finding_columns import columns_in_list
from ipcae.cli.inputs.input_table import InputTable, read_input_table
from ipcae.cli.messages import Messages
from ipcae.cli.names import as_cell
from ipcae.cli.options.selection_options import InputOptions
from ipcae.cli.outputs.folder import check_unused, check_writable, write_file
from ipcae.cli.outputs.json_text import to_json
from ipcae.cli.outputs.results import csv_text
from ipcae.cli.tables import add_row, new_table, plain_spaces
from ipcae.devices import device_for
from ipcae.errors import InputError
from ipcae.estimators import SELECTORS
from ipcae.evaluation import ListEvaluation, evaluate_features
from ipcae.report.feature_lists import list_html
from ipcae.report.list_texts import list_rows, without_rows
from ipcae.selectors import method_named, recommended
from ipcae.tasks import METRICS
from ipcae.text import count
from ipcae.training import EpochReport
from ipcae.training.phases import Phase
from ipcae.training.progress.progress_line import ProgressLine

FILES = ("evaluation.json", "evaluation.csv", "evaluation.html")
NONE = "none"
"""The value of ``--method`` that compares with no selection."""


@dataclass(frozen=True)
class EvaluateOptions:
    """Which columns to evaluate, and how."""

    features: Path
    folds: int
    random: int
    epochs: int
    seed: int
    device: str
    method: str | None = None

    def check(self) -> None:
        """Raise an error for invalid values, before any file is read."""
        if self.method not in (None, NONE):
            method_named(self.method)
        for option, value, least in (
            ("--folds", self.folds, 2),
            ("--random", self.random, 0),
            ("--epochs", self.epochs, 1),
        ):
            if value < least:
                raise InputError(f"{option} {value} is too small: expected at least {least}.")
        if not 0 <= self.seed < 2**32:
            raise InputError(f"--seed {self.seed} is not understood: expected 0 to {2**32 - 1}.")
        device_for(self.device)


def evaluate_columns(
    input_options: InputOptions,
    options: EvaluateOptions,
    out: Path | None,
    *,
    force: bool,
    quiet: bool,
) -> int:
    """Check the input, evaluate the list and write the results; return the exit code."""
    messages = Messages(quiet)
    input_options.check()
    options.check()
    wanted = read_list(options.features)
    if out is not None:
        check_unused(out, FILES, force=force)
    table = read_input_table(input_options, messages)
    names = [str(name) for name in table.X.columns]
    given = columns_in_list(wanted, names, table.place, _not_selectable(table))
    if out is not None:
        check_writable(out, 10**6 + 1000 * len(given))
    messages.say(
        f"{table.place}: {len(table.X):,} rows, {count(len(names), 'column')}.\n"
        f"Evaluating {count(len(given), 'column')} for {table.task.name} in {options.folds} folds."
    )
    result = _evaluate(table, given, options, messages)
    _print(result, messages)
    if out is not None:
        title = (
            f"{options.features.name}: {count(len(given), 'column')} of {Path(table.place).name}"
        )
        write_file(out / FILES[0], to_json(result.summary()))
        write_file(out / FILES[1], _csv(result))
        write_file(out / FILES[2], list_html(result, title))
        messages.say(f"\nOpen {out / FILES[2]} in a browser. Files in {out}: {', '.join(FILES)}")
    return exits.OK


def _not_selectable(table: InputTable) -> dict[str, str]:
    """Return why columns of the file cannot be in a list."""
    rows = [] if table.columns is None else table.columns.rows()
    left_out = {name: use for name, _, _, use in rows if name not in table.X.columns}
    return left_out if table.target is None else left_out | {table.target: "it is the target"}


def _evaluate(
    table: InputTable, given: list[str], options: EvaluateOptions, messages: Messages
) -> ListEvaluation:
    method = options.method
    if method is None:
        task, (n_rows, n_columns) = table.task.task, table.X.shape
        method = recommended(task, n_rows, n_columns).method
    selector = SELECTORS[table.task.name](
        len(given),
        method="ip-cae" if method == NONE else method,
        max_epochs=options.epochs,
        device=options.device,
        random_state=options.seed,
        **table.options,
    )
    line = None if messages.quiet else ProgressLine()

    def show(done: int, total: int) -> None:
        if line is not None:
            title = cast(Phase, "evaluating")
            line(EpochReport(done - 1, total, {}, 1, last=done == total, phase=title))

    with messages.showing_warnings():
        return evaluate_features(
            selector,
            given,
            table.X,
            table.y,
            cv=options.folds,
            n_random=options.random,
            groups=table.groups,
            selected=method != NONE,
            random_state=options.seed,
            progress=show,
        )


def _print(result: ListEvaluation, messages: Messages) -> None:
    messages.say(f"\n{result.sentence}\n")
    label = METRICS[result.metric].label
    others = [METRICS[name].label for name in result.given.metrics if name != result.metric]
    table = new_table("list", label, *others[:2], left=[0])
    for row in list_rows(result, 3):
        add_row(table, *map(plain_spaces, row))
    messages.show(table)
    if result.without:
        messages.say()
        table = new_table(
            "without", "lost", "", "most similar in the list", left=[0, 2, 3], wrap=[0]
        )
        for row in without_rows(result)[:30]:
            add_row(table, *map(plain_spaces, row))
        messages.show(table)


def _csv(result: ListEvaluation) -> str:
    rows = result.rows()
    cells = [
        [as_cell(value) if isinstance(value, str) else f"{value:.6g}" for value in row.values()]
        for row in rows
    ]
    return csv_text(rows[0], cells)
