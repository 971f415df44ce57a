"""The command line: list, run, show, readme, pack."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ipcae import InputError
from paper.items import ITEMS, Item
from paper.protocol import DATASETS, GROUPS, PAPER, QUICK, Protocol
from paper.run import run_items
from paper.show import list_items, show_item
from paper.splits import pack
from paper.store import RESULTS, Store
from paper.workers import Workers

QUICK_RESULTS = RESULTS.with_name("results-quick")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        return _do(_parser().parse_args(arguments))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2


def _do(options: argparse.Namespace) -> int:
    if options.command == "pack":
        pack(options.folder)
        return 0
    protocol = _protocol(options)
    default = QUICK_RESULTS if options.quick else RESULTS
    store = Store(Path(options.results) if options.results else default)
    if options.command == "list":
        print(list_items(protocol, store, cost=options.cost))
    elif options.command == "run":
        run_items(
            _items(options.item),
            protocol,
            store,
            options.splits,
            options.device,
            force=options.force,
            methods=options.methods,
            workers=Workers.on(
                options.device, options.jobs or (2 if options.quick else 1), options.ranking_jobs
            ),
        )
    elif options.command == "show":
        for item in _items(options.item):
            show_item(item, protocol, store)
    elif options.command == "readme":
        from paper.readme import write_readme

        write_readme(store)
    return 0


def _items(name: str) -> list[Item]:
    return list(ITEMS.values()) if name == "all" else [ITEMS[name]]


def _protocol(options: argparse.Namespace) -> Protocol:
    protocol = QUICK if options.quick else PAPER
    return protocol.restricted(tuple(options.dataset or ()), options.runs, options.epochs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m paper", description=sys.modules["paper"].__doc__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--quick", action="store_true", help="two data sets, three runs, for a CPU")
    common.add_argument("--dataset", action="append", choices=DATASETS, help="only this data set")
    common.add_argument("--runs", type=int, help="number of runs")
    common.add_argument("--epochs", type=int, help="number of epochs")
    common.add_argument("--results", help="folder of the results")
    listing = commands.add_parser("list", parents=[common], help="list the items and their state")
    listing.add_argument("--cost", action="store_true", help="estimate the seconds on an H200")
    running = commands.add_parser("run", parents=[common], help="train what an item needs")
    running.add_argument("item", choices=["all", *ITEMS])
    running.add_argument("--methods", default="all", choices=GROUPS, help="only these methods")
    running.add_argument("--device", default="auto")
    running.add_argument(
        "--jobs", type=int, help="processes that share the device (default: 1, or 2 with --quick)"
    )
    running.add_argument(
        "--ranking-jobs",
        type=int,
        help="with --jobs above 1, processes for the classical methods alone (default: none on "
        "the CPU; beside a GPU, one for every two cores that are left)",
    )
    running.add_argument("--splits", help="a folder written by pack, instead of the originals")
    running.add_argument("--force", action="store_true", help="train finished cells again")
    showing = commands.add_parser("show", parents=[common], help="print a table, draw a figure")
    showing.add_argument("item", choices=["all", *ITEMS])
    commands.add_parser("readme", parents=[common], help="write paper/README.md")
    packing = commands.add_parser("pack", help="write the splits for a machine without the data")
    packing.add_argument("folder")
    return parser
