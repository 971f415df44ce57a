"""The cells of the two figures on P, in order of P."""

from __future__ import annotations

from paper.cell import Cell, cell
from paper.items.pairs import studied
from paper.protocol import DATASETS, RECONSTRUCTION, Protocol


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE and IP-CAE with every P."""
    cae = [cell(protocol, dataset, RECONSTRUCTION, "cae") for dataset in studied(protocol)]
    return [*cae, *by_size(protocol).values()]


def by_size(protocol: Protocol) -> dict[int, Cell]:
    """Return the cells of IP-CAE by P, including P = D."""
    found = {}
    for dataset in studied(protocol):
        n_features = DATASETS[dataset].n_features
        for size in sorted({*protocol.embeddings, n_features}):
            given = None if size == n_features else size
            found[size] = cell(protocol, dataset, RECONSTRUCTION, "ip-cae", embedding=given)
    return found
