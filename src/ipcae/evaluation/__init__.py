"""Evaluation of a fitted selector."""

from ipcae.evaluation.evaluation import Evaluation, evaluate_selector
from ipcae.evaluation.sample import Sample, read_sample, shuffled

__all__ = ["Evaluation", "Sample", "evaluate_selector", "read_sample", "shuffled"]
