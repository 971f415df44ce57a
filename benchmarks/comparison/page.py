"""docs/comparison.md and docs/comparison-tables.md, written from the rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from real_tables_summary import confirmed, real, wide
from real_tables_summary import tables as real_tables
from rows import ROOT

from comparison.cells import Row
from comparison.luck import ASKED, worst_gap
from comparison.summary import Comparison, compare

PAGES = {
    ROOT / "docs" / "comparison.md": Path(__file__).with_name("page.md"),
    ROOT / "docs" / "comparison-tables.md": Path(__file__).with_name("tables.md"),
}
"""The pages, and their texts."""

PICTURE = ROOT / "docs" / "images" / "comparison.svg"
PUBLISHED = Path(__file__).with_name("published.json")
SLOW = "boruta", "mrmr"
LIMITED = *SLOW, "stg-package", "lassonet-package"
"""Methods that are too slow for all splits, and for all tables; they have tables of their own."""


SUMMARY = {
    "small and wide, scikit-feature": ("small", 10, 25, 50),
    "planted features": ("planted", None),
    "counts": ("counts", 50),
    "generated, unusual": ("unusual", 5, 10, 25),
    "generated, other kinds": ("further", 5, 15),
}
"""The kinds of tables in the summary: their part, and the numbers of columns."""

LASSO = {"l1-logistic": "ℓ1", "lasso": "ℓ1"}
"""Methods that are the same for classes and for numbers."""


def pages(rows: list[Row]) -> dict[Path, str]:
    """Return the pages: their texts, with the tables in place of ``{{name}}``."""
    texts = {path: text.read_text() for path, text in PAGES.items()}
    for name, lines in tables(rows).items():
        for path, text in texts.items():
            texts[path] = text.replace("{{" + name + "}}", "\n".join(lines))
    return texts


def tables(rows: list[Row]) -> dict[str, list[str]]:
    """Return the tables by name."""
    made = {f"small-{k}": list(overall(compared(rows, "small", k))) for k in (10, 25, 50)}
    made["small-luck"] = list(luck({k: compared(rows, "small", k) for k in (10, 25, 50)}))
    made["small-tables"] = list(by_problem(compared(rows, "small", 50)))
    for name, slow in (("small-slow", SLOW), ("small-limited", LIMITED)):
        found = compared(rows, "small", 50, slow)
        measured = found is not None and any(method in found.methods for method in slow)
        made[name] = list(overall(found if measured else None))
    made["planted"] = list(by_problem(compared(rows, "planted"), "{:.0f}"))
    made["counts"] = list(by_problem(compared(rows, "counts", 50)))
    made["neurofs"] = list(neurofs(rows))
    for k in (5, 10, 25):
        made[f"unusual-{k}"] = list(by_problem(compared(rows, "unusual", k)))
    named = [row | {"method": LASSO.get(row["method"], row["method"])} for row in rows]
    made["summary"] = list(summary(named))
    for k in (5, 15):
        made[f"further-{k}"] = list(by_problem(compared(named, "further", k)))
    return made | real_tables(real(), "real") | real_tables(wide(), "wide")


def summary(rows: list[Row]) -> Iterator[str]:
    """One line per kind of table and K: the default, and the best of the other methods."""
    yield "| kind of table | K | tables | default | best other method | its value | difference |"
    yield "|---|---:|---:|---:|---|---:|---:|"
    yield from confirmed(real(), "real")
    yield from confirmed(wide(), "small and wide, real")
    for kind, (part, *numbers) in SUMMARY.items():
        for k in numbers:
            found = compared(rows, part, k)
            if found is None:
                continue
            default = found.methods.index("default")
            best = max(set(range(len(found.methods))) - {default}, key=found.overall.__getitem__)
            gains = found.means[default] - found.means[best]
            error = gains.std(ddof=1) / np.sqrt(len(gains))
            yield (
                f"| {kind} | {k or ''} | {len(gains)} | {found.overall[default]:.1f} "
                f"| {found.methods[best]} | {found.overall[best]:.1f} "
                f"| {gains.mean():+.1f} ± {error:.1f} |"
            )


def pictured(rows: list[Row]) -> dict[str, Comparison]:
    """Return the comparisons of the picture by their titles."""
    found = {f"Small tables, K = {k}": compared(rows, "small", k) for k in (10, 25, 50)}
    found["Planted features"] = compared(rows, "planted")
    return {title: comparison for title, comparison in found.items() if comparison is not None}


def compared(
    rows: list[Row], part: str, k: int | None = None, slow: tuple[str, ...] = ()
) -> Comparison | None:
    """Compare the methods of a part that have all its problems, for one K.

    Of the slow methods, only those in ``slow`` are compared.
    """
    own = [
        row
        for row in rows
        if row["part"] == part
        and (k is None or row["selected"] == str(k))
        and (row["method"] in slow or row["method"] not in LIMITED)
    ]
    found = compare(own)
    return None if found is None else found.ordered()


def overall(comparison: Comparison | None) -> Iterator[str]:
    """One line per method: mean, spread, rank, gap and seconds."""
    if comparison is None:
        yield "Not measured yet."
        return
    tables, splits = len(comparison.problems), len(comparison.splits)
    yield f"{tables} table{'s' * (tables > 1)}, {splits} split{'s' * (splits > 1)}."
    yield ""
    yield "| method | mean rank | mean | ± between splits | worst gap | seconds |"
    yield "|---|---:|---:|---:|---:|---:|"
    columns = (
        comparison.mean_rank,
        comparison.overall,
        comparison.spread,
        comparison.worst_gap,
        comparison.gap_error,
        comparison.seconds,
    )
    for name, rank, mean, spread, gap, error, seconds in zip(
        comparison.methods, *columns, strict=True
    ):
        shown = f"{gap:+.1f} ± {error:.1f}" if splits > 1 else f"{gap:+.1f}"
        yield f"| {name} | {rank:.1f} | {mean:.1f} | {spread:.1f} | {shown} | {seconds:.1f} |"


def luck(comparisons: dict[int, Comparison | None], method: str = "default") -> Iterator[str]:
    """One line per K: how far a method is from the best, and what luck contributes."""
    heads = "K", "worst gap", "on other splits", "by luck", "P (larger)", f"P (> {ASKED})"
    yield "| " + " | ".join(heads) + " |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for k, comparison in comparisons.items():
        if comparison is not None and method in comparison.methods:
            found = worst_gap(comparison, method)
            gaps = (f"{each:+.1f}" for each in (found.observed, found.other_splits, found.by_luck))
            chances = (f"{each:.2f}" for each in (found.probability, found.above_asked))
            yield " | ".join((f"| {k}", *gaps, *chances)) + " |"


def by_problem(comparison: Comparison | None, form: str = "{:.1f}") -> Iterator[str]:
    """One line per method, one column per problem."""
    if comparison is None:
        yield "Not measured yet."
        return
    yield "| method | mean | " + " | ".join(comparison.problems) + " |"
    yield "|---|---:|" + "---:|" * len(comparison.problems)
    for name, mean, values in zip(
        comparison.methods, comparison.overall, comparison.means, strict=True
    ):
        cells = " | ".join(form.format(value) for value in values)
        yield f"| {name} | {form.format(mean)} | {cells} |"


def neurofs(rows: list[Row]) -> Iterator[str]:
    """Ours beside the published rows: accuracy of an SVM, mean ± standard deviation over seeds."""
    published = json.loads(PUBLISHED.read_text())
    sets = published["data sets"]
    yield "| K | method | " + " | ".join(sets.values()) + " |"
    yield "|---:|---|" + "---:|" * len(sets)
    own = [row for row in rows if row["part"] == "neurofs" and row.get("value")]
    for k in sorted({*(row["selected"] for row in own), *published["svm"]}, key=int):
        for method in sorted({row["method"] for row in own if row["selected"] == k}):
            cells = []
            for name in sets:
                values = [
                    float(row["value"])
                    for row in own
                    if (row["selected"], row["method"], row["problem"]) == (k, method, name)
                ]
                cells.append(f"{np.mean(values):.2f} ± {np.std(values):.2f}" if values else "")
            yield f"| {k} | **ours, {method}** | " + " | ".join(cells) + " |"
        for method, values in published["svm"].get(k, {}).items():
            yield f"| {k} | {method} | " + " | ".join(values[name] for name in sets) + " |"
    if not own:
        yield ""
        yield "This package's rows are not measured yet."


def write(rows: list[Row]) -> None:
    """Write the pages and their picture."""
    from comparison.critical_difference import draw

    for path, text in pages(rows).items():
        path.write_text(text)
    found = pictured(rows)
    if found:
        draw(found, PICTURE)
