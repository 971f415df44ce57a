"""CAE with a warm-up of the learning rate."""

from __future__ import annotations

from typing import Any

from paper.cell import Cell, cell
from paper.items import modified_training
from paper.items.base import Item
from paper.items.pairs import pair, studied
from paper.protocol import RECONSTRUCTION, Protocol
from paper.results import Results


def variants(protocol: Protocol, dataset: str) -> dict[str, Cell]:
    """Return CAE with every warm-up, none first."""
    # NOTE[DIFF]: the paper names neither the data set nor the task of this figure.
    return {
        f"warm-up of {epochs} epochs" if epochs else "CAE": cell(
            protocol, dataset, RECONSTRUCTION, "cae", warm_up_epochs=epochs
        )
        for epochs in (0, *protocol.warm_up_epochs)
    }


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE with every warm-up, and IP-CAE."""
    return [
        own
        for dataset in studied(protocol)
        for own in (
            *variants(protocol, dataset).values(),
            pair(protocol, dataset, RECONSTRUCTION)[1],
        )
    ]


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw curves and test errors."""
    better = pair(protocol, protocol.study, RECONSTRUCTION)[1]
    return modified_training.draw(results, variants(protocol, protocol.study), better)


ITEM = Item(
    name="figure-warm-up",
    title="Figure: learning-rate warm-up",
    caption=(
        "Reconstruction on ISOLET with CAE; the learning rate rises linearly from 1e-6 to 1e-3 "
        "over the first epochs."
    ),
    cells=cells,
    draw=draw,
)
