"""The names of tasks and methods, for help and usage errors.

They are written down here, because importing the registries would import PyTorch and scikit-learn,
for which ``ipcae --help`` would have to wait seconds. A test compares them with the registries.
"""

from __future__ import annotations

TASK_NAMES = ("classification", "regression", "survival", "reconstruction", "panel")
METHOD_NAMES = (
    "ip-cae",
    "cae",
    "ip-cae-diagonal",
    "ip-cae-scalar",
    "ip-cae-mlp",
    "subset",
    "stg",
    "lassonet",
    "shortlist",
    "pfa",
    "pivoted-qr",
    "column-subset",
    "udfs",
    "anova",
    "mutual-information",
    "random-forest",
    "l1-logistic",
    "lasso",
    "elimination",
    "backward",
    "logistic-backward",
    "boosted-elimination",
    "group-lasso",
    "adaptive",
    "panel-forward",
    "panel-exchange",
    "cox-score",
    "cox-elimination",
    "cox-adaptive",
)
