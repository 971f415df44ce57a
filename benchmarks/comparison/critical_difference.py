"""The critical difference diagram of Demšar (2006)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.stats import studentized_range

from comparison.summary import Comparison


def critical_difference(n_methods: int, n_problems: int, level: float = 0.05) -> float:
    """Return the difference of mean ranks that Nemenyi's test calls significant.

    >>> round(critical_difference(5, 30), 2)
    1.11
    """
    quantile = studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_problems)))


def groups(ranks: list[float], difference: float) -> list[tuple[float, float]]:
    """Return the longest intervals of sorted ranks within a difference, of two ranks at least."""
    found: list[tuple[float, float]] = []
    for start in ranks:
        end = max(rank for rank in ranks if rank - start <= difference)
        if end > start and not any(a <= start and end <= b for a, b in found):
            found.append((start, end))
    return found


def draw(comparisons: dict[str, Comparison], path: Path) -> None:
    """Draw the mean ranks of several comparisons below each other."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "ipcae"
    import matplotlib.pyplot as plt

    heights = [1.2 + 0.24 * len(c.methods) for c in comparisons.values()]
    figure, panels = plt.subplots(
        len(comparisons), 1, figsize=(7, sum(heights)), height_ratios=heights, squeeze=False
    )
    for axes, (title, comparison) in zip(panels[:, 0], comparisons.items(), strict=True):
        _panel(axes, title, comparison)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _panel(axes, title: str, comparison: Comparison) -> None:
    comparison = comparison.ordered()
    ranks, names = comparison.mean_rank, comparison.methods
    difference = critical_difference(len(names), len(comparison.problems))
    for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        axes.plot([rank, rank, len(names) + 0.6], [0, -1 - place, -1 - place], color="0.6", lw=0.8)
        axes.text(len(names) + 0.7, -1 - place, f"{name}  {rank:.1f}", va="center", fontsize=10)
    for level, (start, end) in enumerate(groups(sorted(ranks), difference)):
        height = -0.25 - 0.3 * level
        axes.plot([start - 0.05, end + 0.05], [height, height], color="k", lw=2.5)
    axes.plot([1, 1 + difference], [1.6, 1.6], color="k", lw=1)
    axes.text(1, 1.75, f"critical difference {difference:.1f}", fontsize=10, va="bottom")
    axes.set(ylim=(-1.5 - len(names), 3), xlim=(0.8, len(names) + 3), yticks=[])
    axes.set_title(f"{title}: mean rank, 1 is best", loc="left")
    axes.set_xticks(range(1, len(names) + 1))
    axes.spines[["left", "right", "bottom"]].set_visible(False)
    axes.xaxis.set_ticks_position("top")
    axes.spines["top"].set_position(("data", 0))
