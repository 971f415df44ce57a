"""Tasks: everything that depends on what is predicted from the selected features.

A task reads the target, encodes it, and knows its loss, its metrics, its baseline and the words
used for it. No other package branches on which task it is.
"""

from ipcae.tasks.base import Task
from ipcae.tasks.classification import Classification
from ipcae.tasks.head import Head
from ipcae.tasks.metrics import METRICS, Metric
from ipcae.tasks.multilabel import Multilabel
from ipcae.tasks.reconstruction import Reconstruction
from ipcae.tasks.regression import Regression

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (Classification, Multilabel, Regression, Reconstruction)
}

__all__ = [
    "METRICS",
    "TASKS",
    "Classification",
    "Head",
    "Metric",
    "Multilabel",
    "Reconstruction",
    "Regression",
    "Task",
]
