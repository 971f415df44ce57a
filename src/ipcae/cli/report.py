"""The report of a selection: written by ``select``, and again by ``ipcae report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ipcae.cli import exits
from ipcae.cli.experiment import Experiment, plan_experiment
from ipcae.cli.messages import Messages
from ipcae.cli.options import Options
from ipcae.cli.outputs import write_file
from ipcae.cli.problem import Request, read_problem
from ipcae.cli.saved_settings import read_settings
from ipcae.cli.settings import describe_file
from ipcae.errors import InputError
from ipcae.estimators import SELECTORS, load
from ipcae.grids import Grid
from ipcae.locks import locked
from ipcae.report import report_html

REPORT, MODEL, SETTINGS = "report.html", "model.safetensors", "settings.json"


def page_of(
    selector: Any,
    experiment: Experiment | None,
    settings: dict[str, Any],
    grid: Grid | None = None,
) -> str:
    """Return the page, with the sections that need rows if there is an experiment."""
    table, warnings = settings["table"], settings["warnings"]
    facts = {"Command": settings["arguments"], "Table": table}
    name = Path(table.get("path", table.get("name", ""))).name
    n_selected, n_columns = int(selector.get_support().sum()), selector.n_features_in_
    rows: dict[str, Any] = {}
    if experiment is not None:
        problem, train, test = experiment.problem, experiment.train, experiment.test
        rows = {"X": problem.X.iloc[test], "X_train": problem.X.iloc[train]}
        if problem.y is not None:
            rows |= {"y": problem.y[test], "y_train": problem.y[train]}
    return report_html(
        selector,
        **rows,
        grid=grid,
        title=f"{name}: {n_selected:,} of {n_columns:,} columns",
        facts={**facts, "Warnings": warnings} if warnings else facts,
    )


def write_again(folder: Path, grid: str | None, *, quiet: bool) -> int:
    """Write the report of an earlier selection anew; return the exit code."""
    messages = Messages(quiet)
    _check_folder(folder)
    settings = read_settings(folder / SETTINGS)
    asked = read_grid(grid) or settings["arguments"]["grid"]
    selector = load(folder / MODEL)
    with locked(folder):
        experiment = _experiment(selector, settings, messages)
        write_file(folder / REPORT, page_of(selector, experiment, settings, asked))
    messages.say(f"Written: {folder / REPORT}")
    return exits.OK


def _check_folder(folder: Path) -> None:
    missing = [name for name in (MODEL, SETTINGS) if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"{folder} holds no {' and no '.join(missing)}: expected the folder that ipcae select "
            "wrote its results to."
        )


def _experiment(selector: Any, settings: dict[str, Any], messages: Messages) -> Experiment | None:
    """Read the table again and divide its rows as before, if it is there and the same."""
    arguments, source = settings["arguments"], settings["table"]
    without = "the report does without its rows"
    if "path" not in source or not Path(source["path"]).is_file():
        messages.warn(f"the table {source.get('path', source.get('name'))} is not here: {without}.")
        return None
    path = Path(source["path"])
    if describe_file(path)["sha256"] != source["sha256"]:
        messages.warn(f"the table {path} has changed since the selection: {without}.")
        return None
    request = Request(
        path,
        settings["target"],
        settings["task"],
        tuple(arguments["drop"]),
        arguments["drop_missing"],
    )
    options = Options(
        arguments["n_features"],
        test_fraction=arguments["test_fraction"],
        seed=arguments["seed"],
    )
    problem = read_problem(request, Messages(quiet=True))
    names = [str(name) for name in getattr(selector, "feature_names_in_", ())]
    if type(selector) is not SELECTORS[problem.task.name] or list(problem.X.columns) != names:
        messages.warn(f"the model was made for another task or other columns: {without}.")
        return None
    return plan_experiment(problem, options)


def read_grid(text: str | None) -> Grid | None:
    """Read rows and columns.

    >>> read_grid("8x12"), read_grid(None)
    ((8, 12), None)
    """
    if text is None:
        return None
    sides = text.lower().replace("×", "x").split("x")
    # Python reads no number of any length.
    fit = all(side.strip().isdecimal() and len(side) < 10 for side in sides)
    if len(sides) != 2 or not fit:
        raise InputError(
            f"--grid {text} is not understood: expected rows and columns, as in 28x28."
        )
    return int(sides[0]), int(sides[1])
