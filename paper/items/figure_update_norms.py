"""Norms of the terms of the IP update during training."""

from __future__ import annotations

from typing import Any

from paper.cell import Cell
from paper.items.base import Item
from paper.items.pairs import pair, studied
from paper.protocol import CLASSIFICATION, DATASETS, Protocol
from paper.results import Results


def cells(protocol: Protocol) -> list[Cell]:
    """Return CAE and IP-CAE, measured during training."""
    return [
        own
        for dataset in studied(protocol)
        for own in pair(protocol, dataset, CLASSIFICATION, study="update-norms")
    ]


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw one panel each for log α, ψ and W."""
    from paper import drawing

    cae, ip_cae = cells(protocol)
    figure, axes = drawing.panels(1, 3, 10.0, 3.2)
    logits, embedding, weight = axes[0]
    drawing.draw_curve(logits, results, cae, "gradient_norm", "CAE: ‖∇L‖", band=False)
    drawing.draw_curve(
        logits,
        results,
        ip_cae,
        "gradient_norm",
        "IP-CAE: ‖∇L‖",
        color=drawing.COLORS["diagonal"],
        line=drawing.LINES["diagonal"],
        band=False,
    )
    moved = results.curve(ip_cae, "transformed_norm")[1]
    drawing.draw_curve(logits, results, ip_cae, "transformed_norm", "IP-CAE: ‖T ∇L‖", band=False)
    logits.set_yscale("log")
    # When a node has converged, its gradient vanishes: do not show the smallest values.
    logits.set_ylim(moved.max() * 1e-6, moved.max() * 3)
    drawing.draw_curve(embedding, results, ip_cae, "embedding_product", "")
    drawing.draw_curve(weight, results, ip_cae, "weight_norm", "")
    drawing.label(logits, title="Size of a step of log α, divided by η")
    drawing.label(embedding, title="ψ: ψᵀ(ψ − η Wᵀ∇L)")
    drawing.label(weight, title="W: ‖W Wᵀ‖")
    for axis in axes[0]:
        drawing.label(axis, x="epoch")
    drawing.legend_above(figure, logits)
    figure.suptitle(
        f"{DATASETS[cae.dataset].title}, classification",
        fontsize=9,
        color=drawing.INK,
        x=0.99,
        ha="right",
    )
    return figure


ITEM = Item(
    name="figure-update-norms",
    title="Figure: the terms of the IP update",
    caption=(
        "Classification on ISOLET. Gradient descent moves log α by −η∇L in CAE, by −ηT∇L in "
        "IP-CAE, with T = WWᵀ + ψᵀ(ψ − ηWᵀ∇L) I: the norms of both steps and of the parts of T, "
        "means over the nodes, for the first four batches after every epoch."
    ),
    cells=cells,
    draw=draw,
)
