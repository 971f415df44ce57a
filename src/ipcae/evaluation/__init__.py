"""Evaluation of a fitted selector."""

from ipcae.evaluation.evaluation import Evaluation, evaluate_selector
from ipcae.evaluation.intervals import Interval, bootstrap_intervals
from ipcae.evaluation.sample import Sample, read_sample, shuffled

__all__ = [
    "Evaluation",
    "Interval",
    "Sample",
    "bootstrap_intervals",
    "evaluate_selector",
    "read_sample",
    "shuffled",
]
