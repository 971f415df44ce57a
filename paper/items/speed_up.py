"""The speed-up table: how much earlier IP-CAE reaches the final result of CAE."""

from __future__ import annotations

import numpy as np

from paper import markdown
from paper.items.base import Item
from paper.items.pairs import pair, pairs_everywhere
from paper.judge import PUBLISHED
from paper.protocol import CLASSIFICATION, DATASETS, TASKS, Protocol
from paper.results import Results


def speed_up(
    protocol: Protocol, results: Results, dataset: str, task: str, *, for_good: bool = False
) -> float | None:
    """Return the ratio of CAE's epochs to those in which IP-CAE surpasses it, a mean over runs.

    CAE's final result is the mean over its runs after the last epoch, on the validation rows. A
    run that never surpasses it counts as 0. ``for_good`` takes the epoch after which a run stays
    better.
    """
    cae, ip_cae = pair(protocol, dataset, task)
    if not (results.has(cae) and results.has(ip_cae)):
        return None
    metric = f"validation_{cae.metric}"
    sign = 1 if task == CLASSIFICATION else -1
    end = results.curve(cae, metric)[1][-1]
    ratios = []
    for run in range(ip_cae.n_runs):
        epochs, values = results.curve(ip_cae, metric, f"run {run}")
        above = sign * values > sign * end
        if for_good:
            above = np.logical_and.accumulate(above[::-1])[::-1]
        passed = epochs[above]
        ratios.append(cae.epochs / passed[0] if len(passed) else 0.0)
    return float(np.mean(ratios))


def table(protocol: Protocol, results: Results) -> str:
    """Return the published and our speed-ups."""
    rows = []
    for dataset in protocol.datasets:
        row = [DATASETS[dataset].title]
        for task, name in zip(TASKS, ("reconstruction", "accuracy"), strict=True):
            row.append(f"{PUBLISHED['speedup_of_ip_cae_over_cae'][name][dataset]:.2f}×")
            for for_good in (False, True):
                ours = speed_up(protocol, results, dataset, task, for_good=for_good)
                row.append(f"{ours:.2f}×" if ours is not None else "not run yet")
        rows.append(row)
    columns = [
        f"{name}: {whose}"
        for name in ("error", "accuracy")
        for whose in ("paper", "ours", "ours, permanently")
    ]
    return markdown.table(["data set", *columns], rows)


def status(protocol: Protocol, results: Results) -> str:
    """Return by which factor IP-CAE is faster."""
    ratios = [
        ratio
        for dataset in protocol.datasets
        for task in TASKS
        if (ratio := speed_up(protocol, results, dataset, task)) is not None
    ]
    faster = sum(ratio > 1 for ratio in ratios)
    return f"IP-CAE is faster in {faster} of {len(ratios)}, {min(ratios):.1f} to {max(ratios):.1f}×"


ITEM = Item(
    name="speed-up",
    title="Speed-up of IP-CAE over CAE",
    caption=(
        "The number of epochs of CAE divided by the number of epochs after which a run of IP-CAE "
        "surpasses CAE's final validation result; mean over the runs. “Permanently” counts the "
        "epochs after which the run stays better."
    ),
    cells=pairs_everywhere,
    table=table,
    status=status,
)
