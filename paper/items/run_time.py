"""The table of run times."""

from __future__ import annotations

from paper import markdown
from paper.items.base import Item
from paper.items.pairs import PAIR, pair, pairs_everywhere
from paper.judge import PUBLISHED
from paper.protocol import CLASSIFICATION, DATASETS, RECONSTRUCTION, TITLES, Protocol
from paper.results import Results


def table(protocol: Protocol, results: Results) -> str:
    """Return the published minutes for one run and our seconds for all runs."""
    rows = []
    for task in (CLASSIFICATION, RECONSTRUCTION):
        for dataset in protocol.datasets:
            row = [task, DATASETS[dataset].title]
            for own in pair(protocol, dataset, task):
                minutes = PUBLISHED["runtime_minutes_per_200_epochs"][task][
                    own.method.replace("-", "_")
                ][dataset]
                row.append(f"{minutes:.2f}")
                if results.has(own):
                    seconds = results.seconds(own)
                    times = 60 * minutes * own.n_runs * own.epochs / 200 / seconds
                    row += [f"{seconds:.1f}", f"{times:.0f}×"]
                else:
                    row += ["not run yet", ""]
            rows.append(row)
    columns = ("paper, minutes", "ours, seconds", "speed-up")
    header = [f"{TITLES[method]}: {column}" for method in PAIR for column in columns]
    return markdown.table(["task", "data set", *header], rows)


ITEM = Item(
    name="run-time",
    title="Run time",
    caption=(
        "Paper: minutes for one run of 200 epochs on its GPU. Ours: seconds for training all ten "
        "runs as one batch, with one draw of noise per row, and evaluating them. The speed-up is "
        "per run and on different hardware (the device is in the results). With several jobs, the "
        "kernels are compiled before; otherwise, the first cell of a size includes it."
    ),
    cells=pairs_everywhere,
    table=table,
)
