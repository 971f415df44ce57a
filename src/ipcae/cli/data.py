"""``ipcae data``: list and download the data sets of the paper."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ipcae.cli import exits
from ipcae.cli.messages import Messages
from ipcae.cli.tables import add_row, new_table
from ipcae.data import CATALOGUE, Dataset, fetch
from ipcae.data.catalogue import named
from ipcae.data.locations import find
from ipcae.errors import InputError


def list_datasets() -> int:
    """Print a table of the data sets."""
    table = new_table(*("name", "features", "classes", "K", "data set"), left=[0, 4], wrap=[4])
    for dataset in CATALOGUE.values():
        numbers = (dataset.n_features, dataset.n_classes, dataset.n_selected)
        add_row(table, dataset.name, *map(str, numbers), dataset.title)
        add_row(table, *[""] * 4, f"license: {dataset.terms}")
        add_row(table, *[""] * 4, f"folder: {folder_of(dataset) or 'not downloaded'}")
    messages = Messages()
    messages.show(table)
    messages.say("\nDownload with: ipcae data get NAME")
    return exits.OK


def get_datasets(names: Sequence[str], *, everything: bool, quiet: bool) -> int:
    """Download data sets; if one fails, the others are still downloaded."""
    if everything == bool(names):
        raise InputError(
            "name the data sets to download, such as isolet, or use --all. Available: "
            f"{', '.join(CATALOGUE)}."
        )
    messages = Messages(quiet)
    datasets = list(CATALOGUE.values()) if everything else [named(name) for name in names]
    code = exits.OK
    for dataset in datasets:
        was_stored = folder_of(dataset) is not None
        try:
            with _log_to(messages):
                files = fetch(dataset)
        except InputError as error:
            code = exits.print_error(str(error), exits.FAILED)
            continue
        state = "verified" if was_stored else "downloaded"
        place = folder_of(dataset) or next(iter(files.values())).parent
        messages.say(f"{dataset.name}: {state}, {dataset.size / 1e6:.1f} MB in {place}")
    return code


def folder_of(dataset: Dataset) -> Path | None:
    """Return the folder with the files of a data set, or None if a file is missing."""
    locations = [find(dataset, file) for file in dataset.files]
    paths = [location.path for location in locations if location]
    if len(paths) < len(locations):
        return None
    folder = paths[0].parent
    # Files may be in subfolders of the folder of the data set.
    return next((parent for parent in paths[0].parents if parent.name == dataset.name), folder)


@contextmanager
def _log_to(messages: Messages) -> Iterator[None]:
    """Print the log messages of the data package, such as the URL of a download."""
    logger, handler = logging.getLogger("ipcae.data"), logging.Handler(logging.INFO)
    handler.emit = lambda record: messages.note(record.getMessage())  # type: ignore[method-assign]
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
