"""The report of a selection: written by ``select``, rewritten by ``ipcae report``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ipcae.cli import exits
from ipcae.cli.experiment import Experiment, plan_experiment
from ipcae.cli.inputs.input_table import InputTable, read_input_table
from ipcae.cli.inputs.table_file import describe_file
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import FitOptions, InputOptions, options_of
from ipcae.cli.outputs.folder import MODEL, SETTINGS, check_results, write_file
from ipcae.cli.outputs.settings_file import MAX_BYTES, read_settings
from ipcae.errors import InputError
from ipcae.estimators import SELECTORS, load
from ipcae.evaluation import ChanceTest
from ipcae.filesystem.locks import locked
from ipcae.grids import Grid
from ipcae.report import report_html

REPORT = "report.html"
METRICS = "metrics.json"

_NOT_FOR_THE_SPLIT = ("stream", "method", "counts_expected", "needs_all_rows")
"""Arguments about a table that do not matter when it is split again."""


def report_page(
    selector: Any,
    experiment: Experiment | None,
    settings: dict[str, Any],
    grid: Grid | None,
    chance: ChanceTest | None,
) -> str:
    """Return the HTML page; without an experiment, it has no sections about held-out rows."""
    source, warnings = settings["table"], settings["warnings"]
    given = {name: value for name, value in settings["arguments"].items() if _is_given(value)}
    facts = {"Command": given, "Table": source}
    if described := settings.get("columns"):
        facts["Columns"] = {row["name"]: f"{row['kind']}: {row['use']}" for row in described}
    batches = settings.get("batches")
    if isinstance(batches, dict) and all(isinstance(score, str) for score in batches.values()):
        facts |= {"Held-out batches": batches} if batches else {}
    name = Path(source.get("path", source.get("name", ""))).name
    n_selected, n_columns = int(selector.get_support().sum()), selector.n_features_in_
    rows: dict[str, Any] = {}
    if experiment is not None:
        training = experiment.part(experiment.train)
        rows = experiment.part(experiment.test)._asdict()
        rows |= {"X_train": training.X, "y_train": training.y}
    return report_html(
        selector,
        **rows,
        grid=grid,
        title=f"{name}: {n_selected:,} of {n_columns:,} columns{_purpose(settings)}",
        facts={**facts, "Warnings": dict(enumerate(warnings, 1))} if warnings else facts,
        chance=chance,
    )


def _is_given(value: Any) -> bool:
    """Return whether an option was given, or has a default that says something."""
    return value is not None and value is not False and value not in ((), [])


def _purpose(settings: dict[str, Any]) -> str:
    target = settings.get("target")
    return f" to predict {target}" if isinstance(target, str) else ""


def rewrite_report(folder: Path, grid: Grid | None, *, quiet: bool) -> int:
    """Rewrite the report of an earlier selection; return the exit code."""
    messages = Messages(quiet)
    check_results(folder)
    settings = read_settings(folder / SETTINGS)
    grid = grid or settings["arguments"]["grid"]
    selector = load(folder / MODEL)
    with locked(folder), messages.showing_warnings():
        experiment = _experiment(selector, settings, messages)
        chance = _read_chance(folder / METRICS, messages)
        write_file(folder / REPORT, report_page(selector, experiment, settings, grid, chance))
    messages.say(f"Written: {folder / REPORT}")
    return exits.OK


def _read_chance(path: Path, messages: Messages) -> ChanceTest | None:
    """Read the verdict from metrics.json; if that is not possible, warn and return None."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        found = json.loads(path.read_text(encoding="utf-8")).get("chance")
        return None if found is None else ChanceTest.from_summary(found)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        messages.warn(f"{path} cannot be read ({error}): the report has no verdict.")
        return None


def _experiment(selector: Any, settings: dict[str, Any], messages: Messages) -> Experiment | None:
    """Read the table again and split it as before; if it has changed, warn and return None."""
    arguments, source = settings["arguments"], settings["table"]
    consequence = "the report does not include the held-out rows"
    if "path" not in source or not Path(source["path"]).is_file():
        name = source.get("path", source.get("name"))
        messages.warn(f"the table {name} was not found: {consequence}.")
        return None
    path = Path(source["path"])
    input_options = options_of(
        InputOptions,
        {name: value for name, value in arguments.items() if name not in _NOT_FOR_THE_SPLIT},
        table=path,
        target=None if arguments.get("time") is not None else settings["target"],
        task=settings["task"],
    )
    fit_options = FitOptions(
        arguments["n_features"],
        test_fraction=arguments["test_fraction"],
        seed=arguments["seed"],
    )
    table = _read_unchanged(input_options, source["sha256"])
    if table is None:
        messages.warn(f"the table {path} has changed since the selection: {consequence}.")
        return None
    names = [str(name) for name in getattr(selector, "feature_names_in_", ())]
    if type(selector) is not SELECTORS[table.task.name] or list(table.X.columns) != names:
        messages.warn(f"the model was made for another task or other columns: {consequence}.")
        return None
    return plan_experiment(table, fit_options)


def _read_unchanged(options: InputOptions, sha256: str) -> InputTable | None:
    """Read the table, or return None if the file is not the one with this checksum."""
    try:
        table = read_input_table(options, Messages(quiet=True))
    except InputError:
        if describe_file(options.table)["sha256"] == sha256:
            raise
        return None
    return table if table.source["sha256"] == sha256 else None
