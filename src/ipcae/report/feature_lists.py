"""A page about a given list of features."""

from __future__ import annotations

from ipcae.evaluation import ListEvaluation
from ipcae.report.contents import Section
from ipcae.report.list_texts import list_rows, without_rows
from ipcae.report.summary import Tile
from ipcae.report.templates import render
from ipcae.tasks import METRICS
from ipcae.text import count

MOST_METRICS = 4


def list_html(result: ListEvaluation, title: str | None = None) -> str:
    """Return a self-contained HTML page about the result of :func:`ipcae.evaluate_features`.

    Parameters
    ----------
    result : ListEvaluation
        The result.
    title : str, optional
        Heading of the page.

    See Also
    --------
    evaluate_features : Evaluate a list of features.
    report.report_html : The report of a fitted selector.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae.evaluation import ListScore
    >>> scores = [ListScore("given", 1, {"accuracy": np.array([0.9, 0.7])})]
    >>> result = ListEvaluation(["a"], scores, [], "accuracy", 80, 2, baseline=0.5)
    >>> list_html(result).startswith("<!DOCTYPE html>")
    True
    """
    metric = METRICS[result.metric]
    lists = render(
        "lists",
        header=["list", *(METRICS[name].label for name in result.metric_names[:MOST_METRICS])],
        rows=list_rows(result, MOST_METRICS),
        result=result,
    )
    sections = [Section("lists", "The list beside others", lists)]
    if result.without:
        content = render("without", rows=without_rows(result), label=metric.label)
        sections.append(Section("without", "Without one feature", content))
    return str(
        render(
            "page",
            title=title or f"A list of {count(len(result.features), 'feature')}",
            sentence=result.sentence,
            chance=None,
            alerts=[],
            tiles=_tiles(result),
            sections=sections,
        )
    )


def _tiles(result: ListEvaluation) -> list[Tile]:
    """Return the numbers at the top of the page."""
    metric, given = METRICS[result.metric], result.given
    tiles = [
        Tile(
            metric.write(given.mean(result.metric)),
            f"{metric.label} of the given list (± {metric.write(given.error(result.metric))})",
        ),
        Tile(metric.write(result.baseline), f"{metric.label} of a constant prediction"),
    ]
    if result.random is not None:
        random = metric.write(result.random.mean(result.metric))
        tiles.append(Tile(random, f"{metric.label} of random lists, on average"))
    if result.without:
        n_redundant = sum(each.redundant for each in result.without)
        tiles.append(Tile(f"{n_redundant} of {len(result.without)}", "features are redundant"))
    return tiles
