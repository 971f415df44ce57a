"""The table of data sets."""

from __future__ import annotations

from paper import markdown
from paper.cell import Cell
from paper.items.base import Item
from paper.judge import PUBLISHED
from paper.protocol import DATASETS, Protocol
from paper.results import Results

SIZES = ("samples", "features", "selected", "classes")


def cells(protocol: Protocol) -> list[Cell]:
    """Return one cell per data set."""
    return [
        Cell(name, "data", "none", DATASETS[name].n_selected, 0, 1, study="sizes")
        for name in protocol.datasets
    ]


def table(protocol: Protocol, results: Results) -> str:
    """Return the published and our sizes."""
    rows = []
    for own in cells(protocol):
        row = [DATASETS[own.dataset].title]
        for size in SIZES:
            paper = PUBLISHED["datasets"][own.dataset][size]
            counted = f"{results.values(own, size)[0]:.0f}" if results.has(own) else "not run yet"
            row += [str(paper), counted]
        rows.append(row)
    header = [f"{size}: {whose}" for size in SIZES for whose in ("paper", "ours")]
    return markdown.table(["data set", *header], rows)


def status(protocol: Protocol, results: Results) -> str:
    """Count the sizes that agree with the paper."""
    pairs = [
        (PUBLISHED["datasets"][own.dataset][size], results.values(own, size)[0])
        for own in cells(protocol)
        if results.has(own)
        for size in SIZES
    ]
    return (
        f"{sum(paper == ours for paper, ours in pairs)} of {len(pairs)} sizes agree with the paper"
    )


ITEM = Item(
    name="data-sets",
    title="Data sets",
    caption="Number of rows of all three parts, features, selected features and classes.",
    cells=cells,
    table=table,
    status=status,
)
