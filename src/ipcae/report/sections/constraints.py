"""The constraints of a selection: included and excluded features, limits and costs."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ipcae.constraints import Constraints
from ipcae.feature_table import feature_names
from ipcae.report.charts.line_chart import Line, LineChart
from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings
from ipcae.report.templates import render
from ipcae.tasks import METRICS, Task
from ipcae.text import count, listed, number

_MOST_NAMES = 30
_WIDEST = 4  # of the budget or of what was paid, to the right of which no points are shown


def has_constraints(constraints: Constraints) -> bool:
    """Return whether there is anything to show."""
    return bool(
        constraints.included
        or constraints.excluded
        or constraints.groups
        or constraints.at_most
        or constraints.costs
    )


def draw_constraints(findings: Findings) -> Markup:
    """Return a table of the conditions and, with costs, what was paid and a cost-score curve."""
    selector, measured = findings.selector, findings.measured
    constraints, names = selector.constraints_, feature_names(selector)
    chart = None
    if constraints.costs and measured is not None and isinstance(measured.comparison, Comparison):
        chart = _cost_chart(selector, measured.comparison, measured.evaluation.task)
    return render(
        "constraints",
        conditions=_conditions(selector, constraints, names),
        paid=_paid(findings, constraints, names) if constraints.costs else [],
        chart=chart,
    )


def _conditions(
    selector: Any, constraints: Constraints, names: list[str]
) -> list[tuple[str, str, str]]:
    """Return the name, the columns and the outcome of every condition."""
    selected = set(selector.selection_.features.tolist())

    def label(columns: Any) -> str:
        return listed([names[column] for column in columns], _MOST_NAMES)

    rows = []
    if constraints.included:
        rows.append(("always selected", label(constraints.included), "selected"))
    if constraints.excluded:
        rows.append(("never selected", label(constraints.excluded), "not selected"))
    for name, columns in zip(constraints.group_names, constraints.groups, strict=True):
        if len(columns) > 1:
            outcome = "selected" if selected.issuperset(columns) else "not selected"
            title = label(columns) if name == label(columns) else f"{name}: {label(columns)}"
            rows.append(("measured together", title, outcome))
    for most, columns in constraints.at_most:
        found = label([column for column in columns if column in selected])
        rows.append((f"at most {most} of", label(columns), found or "none selected"))
    if constraints.budget is not None:
        paid = number(constraints.cost(selector.selection_.features), 6)
        budget = f"{number(constraints.budget, 6)} in total"
        rows.append(("budget", budget, f"{paid} paid"))
    return rows


def _paid(
    findings: Findings, constraints: Constraints, names: list[str]
) -> list[tuple[str, str, str]]:
    """Return the selected units by rank, their costs and the sum so far."""
    group_names = dict(zip(constraints.groups, constraints.group_names, strict=True))
    rows, total, seen = [], 0.0, set()
    for feature in findings.features:
        unit = int(constraints.unit_of[feature.index])
        if not feature.selected or unit in seen:
            continue
        seen.add(unit)
        columns, cost = constraints.units[unit], float(constraints.cost_of_units[unit])
        total += cost
        name = group_names.get(columns, names[columns[0]])
        if len(columns) > 1:
            name += f" ({count(len(columns), 'column')})"
        rows.append((name, number(cost, 6), number(total, 6)))
    return rows


def _cost_chart(selector: Any, comparison: Comparison, task: Task) -> LineChart:
    """Return the score by the cost of the top-ranked features, from nothing on."""
    constraints = selector.constraints_
    ranked = selector.ranking_.argsort()
    factor, unit = METRICS[task.score].on_axis
    paid = constraints.cost(selector.selection_.features)
    widest = _WIDEST * max(paid, constraints.budget or 0.0)
    points, hints = {0.0: factor * comparison.baseline}, {0.0: "baseline, cost 0"}
    for n, score in comparison.scores.items():
        cost = constraints.cost(ranked[:n])
        if cost <= widest:
            points[cost] = factor * score
            hints[cost] = f"{count(n, 'feature')}, cost {number(cost, 6)}"
    marks = [(paid, "selected")]
    if constraints.budget is not None and paid < constraints.budget <= max(points):
        marks.append((constraints.budget, "budget"))
    return LineChart(
        f"{task.score_label}{unit}",
        "cost",
        [Line("top-ranked features", points, "first", dots=True)],
        whole_numbers=False,
        marks=marks,
        hints=hints,
    )
