"""Settings, versions, checksums and times, to reproduce a selection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from ipcae.report.findings import Measured
from ipcae.report.templates import render
from ipcae.text import duration
from ipcae.training.choices.adapting import USUAL
from ipcae.version import versions

MOST_ITEMS = 100
"""Maximum number of items to show of a list, such as the costs of columns."""


def facts_of(selector: Any, measured: Measured | None, seconds: float) -> dict[str, Any]:
    """Return the facts about the selector and the rows."""
    data: dict[str, Any] = {
        "features": selector.n_features_in_,
        "column scaling": selector.scaler_.kind,
    }
    if measured is not None:
        parts = {measured.rows_name: measured.sample, "training": measured.training}
        for name, part in parts.items():
            if part is not None:
                data[f"{name} rows"] = len(part)
                data[f"{name} rows, SHA-256"] = part.fingerprint()
    return {
        "Settings": {
            "selector": type(selector).__name__,
            **selector.get_params(deep=False),
            "method": f"{words(selector.method_)}, because {selector.method_reason_}",
            "decoder": _decoder(selector),
        },
        "Data": data,
        "Versions": versions(),
        "Time": {"fit": duration(selector.fit_seconds_), "this report": duration(seconds)},
    }


def _decoder(selector: Any) -> str:
    """Return the argument, and the kind of decoder if it was adapted to the table."""
    given, kind = words(selector.decoder), selector.decoders_[selector.best_run_]
    return given if kind == USUAL else f"{given}: {kind}, which predicted held-out rows better"


def draw_facts(groups: Mapping[str, Any]) -> Markup:
    """Return a table for every group of facts; a single value is shown as a separate group."""
    tables = {
        str(name): [
            (str(key), words(value))
            for key, value in (facts if isinstance(facts, Mapping) else {name: facts}).items()
        ]
        for name, facts in groups.items()
    }
    return render("facts", groups=tables)


def words(value: Any) -> str:
    """Format a value.

    >>> words(None), words([1, 2]), words({"a": True})
    ('none', '1, 2', 'a: yes')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return _first([f"{key}: {words(item)}" for key, item in value.items()], "; ")
    if isinstance(value, list | tuple):
        return _first([words(item) for item in value], ", ") or "none"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    # The representation of a module has several lines.
    return " ".join(str(value).split())


def _first(items: list[str], separator: str) -> str:
    """Join the first items."""
    more = [f"… {len(items) - MOST_ITEMS:,} more"] if len(items) > MOST_ITEMS else []
    return separator.join([*items[:MOST_ITEMS], *more])
