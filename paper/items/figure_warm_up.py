"""CAE with a warm-up of the learning rate."""

from __future__ import annotations

from paper.cell import Cell, cell
from paper.items import modified_training
from paper.protocol import RECONSTRUCTION, Protocol


def variants(protocol: Protocol, dataset: str) -> dict[str, Cell]:
    """Return CAE with every warm-up, none first."""
    # NOTE[DIFF]: the paper names neither the data set nor the task of this figure.
    return {
        f"warm-up of {epochs} epochs" if epochs else "CAE": cell(
            protocol, dataset, RECONSTRUCTION, "cae", warm_up_epochs=epochs
        )
        for epochs in (0, *protocol.warm_up_epochs)
    }


ITEM = modified_training.item(
    name="figure-warm-up",
    title="Figure: learning-rate warm-up",
    caption=(
        "Reconstruction on ISOLET with CAE; the learning rate rises linearly from 1e-6 to 1e-3 "
        "over the first epochs."
    ),
    variants=variants,
)
