"""What is needed to repeat a selection: settings, versions, fingerprints, seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ipcae.evaluation import Sample
from ipcae.report.markup import Html, escape, join, table
from ipcae.text import duration, number
from ipcae.version import versions

Facts = Mapping[str, Any]


def facts_of(
    selector: Any, sample: Sample | None, training: Sample | None, reporting: float
) -> dict[str, dict[str, Any]]:
    """Return what can be known from the selector and the rows."""
    data: dict[str, Any] = {
        "features": selector.n_features_in_,
        "columns scaled": selector.scaler_.kind,
    }
    for name, part in (("rows of X", sample), ("rows of X_train", training)):
        if part is not None:
            data[name] = len(part)
            data[f"{name}, SHA-256"] = part.fingerprint()
    return {
        "Settings": {"selector": type(selector).__name__, **selector.get_params(deep=False)},
        "Data": data,
        "Versions": versions(),
        "Time": {
            "selecting": duration(selector.fit_seconds_),
            "this report": duration(reporting),
        },
    }


def draw_facts(groups: Mapping[str, Any]) -> Html:
    """Return a table for every group of facts."""
    return join(*(_group(str(name), facts) for name, facts in groups.items()))


def _group(name: str, facts: Any) -> Html:
    if not isinstance(facts, Mapping):
        facts = {name: facts}
    rows = [(key, _words(value)) for key, value in facts.items()]
    body = table(("what", "value"), rows, name, "facts")
    return Html(f"<details><summary>{escape(name)}</summary>{body}</details>")


def _words(value: Any) -> str:
    """Write a value as people would.

    >>> _words(None), _words([1, 2]), _words({"a": True})
    ('none', '1, 2', 'a: yes')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_words(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_words(item) for item in value) or "none"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return str(value)


def draw_runs(selector: Any) -> Html:
    """Return how every run ended."""
    rows = [
        (
            f"{run}{' (best)' if run == selector.best_run_ else ''}",
            str(selector.run_seeds_[run]),
            status,
            str(selector.best_epoch_[run] + 1),
            number(float(selector.validation_loss_[run]), 4),
            f"{selector.selections_[run].unique_percentage:.0f} %",
            _shared(selector, run),
        )
        for run, status in enumerate(selector.run_status_)
    ]
    header = ("run", "seed", "ended", "kept epoch", "validation loss", "unique", "shared with best")
    return table(header, rows, "Runs")


def _shared(selector: Any, run: int) -> str:
    best, other = selector.selection_.support(), selector.selections_[run].support()
    return f"{int(np.logical_and(best, other).sum())} of {int(best.sum())}"
