"""``ipcae data``: the data sets of the paper, listed and fetched."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ipcae.cli import exits
from ipcae.cli.messages import Messages
from ipcae.cli.summary import table
from ipcae.data import CATALOGUE, Dataset, fetch
from ipcae.data.catalogue import named
from ipcae.data.locations import find
from ipcae.errors import InputError


def list_datasets() -> int:
    """Print the catalogue, two lines for every data set."""
    header = ["name", "features", "classes", "K", "licence"]
    rows = [
        [d.name, str(d.n_features), str(d.n_classes), str(d.n_selected), d.terms]
        for d in CATALOGUE.values()
    ]
    first, *lines = table(header, rows, left={0, 4}).splitlines()
    print(first)
    for line, dataset in zip(lines, CATALOGUE.values(), strict=True):
        folder = folder_of(dataset)
        place = f"in {folder}" if folder else f"not here: ipcae data get {dataset.name}"
        print(f"{line}\n      {dataset.title}\n      {place}")
    return exits.OK


def get_datasets(names: Sequence[str], *, everything: bool, quiet: bool) -> int:
    """Fetch data sets; a download that fails does not keep the next one from being tried."""
    if everything == bool(names):
        raise InputError(
            "name the data sets to get, such as isolet, or use --all: "
            f"there are {', '.join(CATALOGUE)}."
        )
    messages = Messages(quiet)
    datasets = list(CATALOGUE.values()) if everything else [named(name) for name in names]
    code = exits.OK
    for dataset in datasets:
        was_here = folder_of(dataset) is not None
        try:
            with _log_to(messages):
                files = fetch(dataset)
        except InputError as error:
            code = exits.report(str(error), exits.FAILED)
            continue
        state = "already here, and intact" if was_here else "here now"
        place = folder_of(dataset) or next(iter(files.values())).parent
        messages.say(f"{dataset.name} is {state}: {dataset.size / 1e6:.1f} MB in {place}")
    return code


def folder_of(dataset: Dataset) -> Path | None:
    """Return the folder that holds all files of a data set, or the first of several; or None."""
    locations = [find(dataset, file) for file in dataset.files]
    paths = [location.path for location in locations if location]
    if len(paths) < len(locations):
        return None
    folder = paths[0].parent
    # Files may lie in sub-folders of the data set's own.
    return next((parent for parent in paths[0].parents if parent.name == dataset.name), folder)


@contextmanager
def _log_to(messages: Messages) -> Iterator[None]:
    """Show what the data package logs, such as which URL it is downloading."""
    logger = logging.getLogger("ipcae.data")
    handler = _Lines(messages)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Lines(logging.Handler):
    def __init__(self, messages: Messages):
        super().__init__(logging.INFO)
        self.messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.note(record.getMessage())
