"""CAE with weight decay."""

from __future__ import annotations

from paper.cell import Cell, cell
from paper.items import modified_training
from paper.protocol import RECONSTRUCTION, Protocol


def variants(protocol: Protocol, dataset: str) -> dict[str, Cell]:
    """Return CAE with every weight decay, none first."""
    # NOTE[DIFF]: the paper names neither the data set nor the task of this figure.
    return {
        f"weight decay {decay:g}" if decay else "CAE": cell(
            protocol, dataset, RECONSTRUCTION, "cae", weight_decay=decay
        )
        for decay in (0.0, *protocol.weight_decays)
    }


ITEM = modified_training.item(
    name="figure-weight-decay",
    title="Figure: weight decay",
    caption="Reconstruction on ISOLET with CAE and weight decay (L2, as in Adam).",
    variants=variants,
)
