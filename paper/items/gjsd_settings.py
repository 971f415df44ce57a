"""The table of λ, the weight of the GJSD regularization."""

from __future__ import annotations

from paper import markdown
from paper.cell import Cell, cell
from paper.items.base import Item
from paper.judge import PUBLISHED
from paper.protocol import CLASSIFICATION, DATASETS, RECONSTRUCTION, TITLES, Protocol
from paper.results import Results

TASKS = (CLASSIFICATION, RECONSTRUCTION)


def cells(protocol: Protocol) -> list[Cell]:
    """Return the grids of λ for both tasks and methods."""
    return [
        cell(protocol, dataset, task, method)
        for dataset in protocol.datasets
        for task in TASKS
        for method in _methods(protocol)
    ]


def _methods(protocol: Protocol) -> list[str]:
    return [method for method in protocol.family if method.endswith("gjsd")]


def table(protocol: Protocol, results: Results) -> str:
    """Return the published and our λ."""
    rows = []
    for dataset in protocol.datasets:
        row = [DATASETS[dataset].title]
        for task in TASKS:
            row.append(f"{PUBLISHED['gjsd_weight'][task][dataset]:g}")
            row += [
                _chosen(results, cell(protocol, dataset, task, method))
                for method in _methods(protocol)
            ]
        rows.append(row)
    ours = [f"{TITLES[method]}, ours" for method in _methods(protocol)]
    columns = (f"{TITLES['gjsd']}, paper", *ours)
    header = [f"{task}: {column}" for task in TASKS for column in columns]
    return markdown.table(["data set", *header], rows)


def _chosen(results: Results, own: Cell) -> str:
    return results.chosen(own).split("lambda=")[1] if results.has(own) else "not run yet"


def status(protocol: Protocol, results: Results) -> str:
    """Count the λ that agree with the paper."""
    same = [
        float(_chosen(results, own)) == PUBLISHED["gjsd_weight"][own.task][own.dataset]
        for own in cells(protocol)
        if own.method == "gjsd" and results.has(own)
    ]
    return f"{sum(same)} of {len(same)} λ agree with the paper"


ITEM = Item(
    name="gjsd-settings",
    title="GJSD settings",
    caption=(
        "The λ out of 0.0005, 0.005 and 0.05 with the lowest mean validation loss. All λ and runs "
        "of a method are trained as one batch."
    ),
    cells=cells,
    table=table,
    status=status,
)
