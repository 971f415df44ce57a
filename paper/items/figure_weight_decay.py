"""CAE with weight decay."""

from __future__ import annotations

from typing import Any

from paper.cell import Cell, cell
from paper.items import modified_training
from paper.items.base import Item
from paper.items.pairs import pair, studied
from paper.protocol import RECONSTRUCTION, Protocol
from paper.results import Results


def variants(protocol: Protocol, dataset: str) -> dict[str, Cell]:
    """Return CAE with every weight decay, none first."""
    # NOTE[DIFF]: the paper names neither the data set nor the task of this figure.
    return {
        f"weight decay {decay:g}" if decay else "CAE": cell(
            protocol, dataset, RECONSTRUCTION, "cae", weight_decay=decay
        )
        for decay in (0.0, *protocol.weight_decays)
    }


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE with every weight decay, and IP-CAE."""
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
    name="figure-weight-decay",
    title="Figure: weight decay",
    caption="Reconstruction on ISOLET with CAE and weight decay (L2, as in Adam).",
    cells=cells,
    draw=draw,
)
