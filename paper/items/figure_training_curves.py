"""Training of CAE and IP-CAE on every data set."""

from __future__ import annotations

from typing import Any

from paper.items.base import Item
from paper.items.pairs import pair, pairs_everywhere
from paper.protocol import DATASETS, TASKS, TITLES, Protocol, factor
from paper.results import Results


def draw(protocol: Protocol, results: Results) -> Any:
    """Draw the validation result above the unique percentage, both tasks, all data sets."""
    from paper import drawing

    n = len(protocol.datasets)
    figure, axes = drawing.panels(4, n, 2.15 * n, 7.4, sharex="col", height_ratios=(3, 2, 3, 2))
    for column, dataset in enumerate(protocol.datasets):
        for part, task in enumerate(TASKS):
            result, unique = axes[2 * part : 2 * part + 2, column]
            for own in pair(protocol, dataset, task):
                name = TITLES[own.method]
                metric = f"validation_{own.metric}"
                drawing.draw_curve(result, results, own, metric, name, scale=factor(task))
                drawing.draw_curve(unique, results, own, "unique_percentage", name)
            drawing.percent_axis(unique)
            if column == 0:
                drawing.label(result, y=f"validation {drawing.LABEL[task]}")
                drawing.label(unique, y=drawing.UNIQUE)
        drawing.label(axes[0, column], title=DATASETS[dataset].title)
        drawing.label(axes[3, column], x="epoch")
    drawing.legend_above(figure, axes[0, 0])
    return figure


ITEM = Item(
    name="figure-training-curves",
    title="Figure: training of CAE and IP-CAE",
    caption=(
        "Validation error (above) and accuracy (below), each with the unique percentage; mean and "
        "one standard deviation over the runs."
    ),
    cells=pairs_everywhere,
    draw=draw,
)
