"""What a fitted selector is worth on rows that it was not trained on."""

from ipcae.evaluation.evaluation import Evaluation, evaluate_selector
from ipcae.evaluation.sample import Sample, read_sample, shuffled

__all__ = ["Evaluation", "Sample", "evaluate_selector", "read_sample", "shuffled"]
