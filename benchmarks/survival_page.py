"""The table of docs/how-to/survival.md, from the rows of benchmarks/survival.csv."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "how-to" / "survival.md"
ROWS = HERE / "survival.csv"


def with_table(page: str, rows: pd.DataFrame) -> str:
    """Return docs/how-to/survival.md with the means and standard deviations over the splits."""
    wide = rows.pivot_table(
        index=["dataset", "features", "selected", "split"], columns="method", values="concordance"
    )
    lines = [
        "| table | columns | K | `SurvivalSelector` | Coxnet | difference | ahead in | IP-CAE |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (name, n_columns, k), group in wide.groupby(level=[0, 1, 2]):
        ours, theirs = group["default"], group["coxnet"]
        gain = ours - theirs
        values = [f"{each.mean():.3f} ± {each.std():.3f}" for each in (ours, theirs)]
        values += [f"{gain.mean():+.3f} ± {gain.std():.3f}", f"{(gain > 0).sum()} of {len(gain)}"]
        values.append(f"{group['ip-cae'].mean():.3f} ± {group['ip-cae'].std():.3f}")
        lines.append(f"| {name} | {n_columns} | {k} | {' | '.join(values)} |")
    start, end = "<!-- concordance -->\n", "<!-- end of concordance -->"
    before, rest = page.split(start)
    return f"{before}{start}{chr(10).join(lines)}\n{rest[rest.index(end) :]}"
