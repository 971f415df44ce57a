"""The two main tables: every method on every data set."""

from __future__ import annotations

from collections import Counter

from paper import judge, markdown
from paper.cell import Cell, cell
from paper.items.base import Item
from paper.protocol import CAE_FAMILY, CLASSIFICATION, DATASETS, RIVALS, TITLES, Protocol
from paper.results import Results


def cells_of(protocol: Protocol, task: str) -> list[Cell]:
    """Return the cells of a task, data set by data set."""
    return [
        cell(protocol, dataset, task, method)
        for dataset in protocol.datasets
        for method in protocol.methods(task)
    ]


def overview(protocol: Protocol, results: Results, task: str) -> str:
    """Return our means with one row per method and the best of every data set in bold."""
    best = {}
    for dataset in protocol.datasets:
        means = {
            method: judge.summary(results.test(own))[0]
            for method in protocol.methods(task)
            if results.has(own := cell(protocol, dataset, task, method))
        }
        better = max if task == CLASSIFICATION else min
        best[dataset] = better(means, key=lambda method: means[method]) if means else None
    rows = []
    for method in protocol.methods(task):
        texts = [_mean_text(protocol, results, dataset, task, method) for dataset in best]
        if any(texts):
            marked = [
                f"**{text}**" if best[dataset] == method else text
                for dataset, text in zip(best, texts, strict=True)
            ]
            rows.append([TITLES[method], *marked])
    if not rows:
        return ""
    return markdown.table(["ours", *(DATASETS[name].title for name in best)], rows)


def _mean_text(protocol: Protocol, results: Results, dataset: str, task: str, method: str) -> str:
    own = cell(protocol, dataset, task, method)
    return judge.runs_text(own, results.test(own)) if results.has(own) else ""


def comparison(protocol: Protocol, results: Results, task: str) -> str:
    """Return the published and our results with one row per data set and method."""
    rows = []
    for own in cells_of(protocol, task):
        paper = judge.published(own)
        row = [DATASETS[own.dataset].title, TITLES[own.method]]
        row.append(judge.figure_text(own, *paper) if paper else "")
        if results.has(own):
            mean, std = judge.summary(results.test(own))
            difference = f"{(mean - paper[0]) / paper[1]:+.1f}" if paper else ""
            unique = results.values(own, "unique_percentage").mean()
            row += [judge.figure_text(own, mean, std), difference, judge.status(own, mean)]
            row += [f"{unique:.0f}", f"{results.seconds(own):.1f}"]
        elif paper:
            row += ["", "", "not run yet", "", ""]
        else:
            continue
        rows.append(row)
    header = ["data set", "method", "paper", "ours", "difference", "status", "unique %", "seconds"]
    return markdown.table(header, rows)


def tally(protocol: Protocol, results: Results, task: str) -> str:
    """Count the results that are within the tolerance, better, or exceptions."""
    parts = []
    for name, methods in (("CAE family", CAE_FAMILY), ("STG and LassoNet", RIVALS)):
        counts = Counter(
            judge.status(own, judge.summary(results.test(own))[0])
            for own in cells_of(protocol, task)
            if own.method in methods and results.has(own)
        )
        if counts:
            named = (judge.WITHIN, judge.BETTER, judge.EXCEPTION)
            parts.append(f"{name}: " + ", ".join(f"{counts[s]} {s.strip('*')}" for s in named))
    return "; ".join(parts) or "not run yet"


def item(number: int, task: str, what: str, caption: str) -> Item:
    """Return the table of a task."""
    return Item(
        name=f"table-{number}",
        title=f"Table {number}: {what}",
        caption=f"{caption} on the test rows, K = 50 (10 for Mice Protein).",
        cells=lambda protocol: cells_of(protocol, task),
        table=lambda protocol, results: report(protocol, results, task),
        status=lambda protocol, results: tally(protocol, results, task),
    )


def report(protocol: Protocol, results: Results, task: str) -> str:
    """Return the text of the item."""
    unit = "Accuracy in percent" if task == CLASSIFICATION else "Error × 1000"
    head = (
        f"{unit}, mean ± standard deviation over the runs. “Difference” is ours minus the "
        "paper's, in units of the paper's standard deviation."
    )
    parts = [head, overview(protocol, results, task)]
    parts += [comparison(protocol, results, task), f"{tally(protocol, results, task)}."]
    return "\n\n".join(part for part in parts if part)
