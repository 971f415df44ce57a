"""Evaluation of a fitted selector, and of the table that it was fitted to.

In reading order: ``sample`` has the rows, ``evaluation`` the metrics on them, ``intervals`` their
confidence intervals, and ``importance`` the features that matter. ``table_checks`` looks for
``leaks`` and copies, and ``weighted_sums`` finds the parts of a total.

``folds`` divide rows, and ``chance`` tests the ``association`` of predictions for left-out folds
with the target, compared with ``permutations`` of the targets. ``stability`` and ``row_stability``
compare selections from subsamples of the rows, with ``correlations`` of columns that replace each
other, and ``fdr_selection`` compares features with decoys.

``feature_lists`` evaluates given lists of features (``column_names``), fold by fold
(``list_fold``), also without each feature (``without_feature``), and ``list_scores`` is the result.
``estimator_checks`` refuses what is no selector.
"""

from ipcae.evaluation.association import Association, association_of
from ipcae.evaluation.chance import ChanceTest, compare_with_chance
from ipcae.evaluation.evaluation import Evaluation, evaluate_selector
from ipcae.evaluation.fdr_selection import FdrSelection
from ipcae.evaluation.feature_lists import evaluate_features
from ipcae.evaluation.importance import Importance, importance_on
from ipcae.evaluation.intervals import Interval, bootstrap_intervals
from ipcae.evaluation.list_scores import ListEvaluation, ListScore
from ipcae.evaluation.row_stability import RowStability
from ipcae.evaluation.sample import Sample, read_sample, shuffled
from ipcae.evaluation.table_checks import TableChecks, check_table
from ipcae.evaluation.without_feature import WithoutFeature

__all__ = [
    "Association",
    "ChanceTest",
    "Evaluation",
    "FdrSelection",
    "Importance",
    "Interval",
    "ListEvaluation",
    "ListScore",
    "RowStability",
    "Sample",
    "TableChecks",
    "WithoutFeature",
    "association_of",
    "bootstrap_intervals",
    "check_table",
    "compare_with_chance",
    "evaluate_features",
    "evaluate_selector",
    "importance_on",
    "read_sample",
    "shuffled",
]
