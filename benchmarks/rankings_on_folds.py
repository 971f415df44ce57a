"""Would another rule for choosing a ranking select better on tables with few rows?

    python benchmarks/rankings_on_folds.py

``rankings_on_folds.csv`` has one row per development table, seed and K: the mean accuracy of four
classifiers on the columns of eight rankings, and by how much the errors of three of them were
smaller than those of the group lasso in cross-validation (``selectors/classical/preferred.py``), on
five folds and on twice five folds, with standard errors. From these, the accuracy of any rule that
chooses between them follows. Seeds of the second half were measured after rules had been compared
on the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from missing_rows import read_rows

Row = dict[str, str]
Rule = Callable[[Row], str]
FIRST = "group-lasso"
FIXED = (
    *("elimination", "random-forest", "lasso-forest", "lasso-elimination", "all-three"),
    *("elimination-forest", "layers"),
)
"""Rankings that are alternatives to the group lasso. Averages are geometric means of ranks; layers
is the group lasso for K / 2 columns, and then for K / 2 of those that are left."""
OTHERS = "elimination", "random-forest"
FRESH = {"small": 8, "few": 2}
"""The first seeds of the second half."""


def preferred(n_errors: float, twice: bool = False, others: tuple[str, ...] = OTHERS) -> Rule:
    """Return the rule that prefers a ranking that is better by so many standard errors."""
    again = " twice" * twice

    def choose(row: Row) -> str:
        margins = {FIRST: 0.0} | {
            name: float(row[f"{name} better{again}"])
            - n_errors * float(row[f"{name} error{again}"])
            for name in others
        }
        return max(margins, key=margins.__getitem__)

    return choose


def confirmed(row: Row) -> str:
    """Prefer a ranking that is better by one standard error, and by two on twice the folds."""
    rivals = tuple(name for name in OTHERS if preferred(1, others=(name,))(row) == name)
    return preferred(2, twice=True, others=rivals)(row)


RULES: dict[str, Rule] = {
    "one standard error (default)": preferred(1),
    **{f"always {name}": (lambda row, name=name: name) for name in (FIRST, *FIXED)},
    "the smallest errors": preferred(0),
    "1.5 standard errors": preferred(1.5),
    "two standard errors": preferred(2),
    "one, twice the folds": preferred(1, twice=True),
    "two, twice the folds": preferred(2, twice=True),
    "one, then two on twice the folds": confirmed,
    "one, also lasso-forest": preferred(1, others=(*OTHERS, "lasso-forest")),
}


def difference(rows: list[Row], rule: Rule) -> str:
    """Return the mean difference from the default rule, ± its standard error over the tables."""
    gains = defaultdict(list)
    for row in rows:
        chosen, default = (float(row[each(row)]) for each in (rule, preferred(1)))
        gains[row["problem"]].append(chosen - default)
    means = np.array([np.mean(each) for each in gains.values()])
    return f"{means.mean():+.2f} ± {means.std(ddof=1) / np.sqrt(len(means)):.2f}"


def main() -> None:
    """Print a table of the rules: small tables and tables with few rows for every K."""
    rows = read_rows(Path(__file__).with_suffix(".csv"))
    for title, fresh in (("first seeds", False), ("fresh seeds", True), ("all", None)):
        some = [row for row in rows if fresh in (None, int(row["seed"]) >= FRESH[row["part"]])]
        groups = {
            f"{part}, K = {k}": [r for r in some if (r["part"], r["selected"]) == (part, k)]
            for k in ("10", "25", "50")
            for part in FRESH
        }
        print(f"\n| {title} | " + " | ".join(groups) + " | all |")
        print("|---|" + "---:|" * (len(groups) + 1))
        for name, rule in RULES.items():
            cells = [difference(group, rule) for group in (*groups.values(), some)]
            print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
