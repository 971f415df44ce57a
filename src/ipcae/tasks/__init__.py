"""Tasks: everything that depends on what is predicted from the selected features.

A task checks and encodes the target, and defines the losses, the metrics, the baseline and the
wording of reports. No other package branches on the kind of task.

In reading order: ``base`` has the interface. ``classification``, ``multilabel``, ``regression``,
``survival``, ``reconstruction``, ``counts``, ``hurdle`` and ``panel`` are tasks. They read targets
with ``given_targets``, ``integer_classes`` and ``censored``, and are exported with a ``head``.
``linear_decoder`` computes the linear decoders of numbers.

``metrics`` has the labels of the metrics; ``resampling`` and ``effective_sizes`` are for their
intervals, and ``ranks`` for the association with a target.
"""

from ipcae.tasks.base import Task
from ipcae.tasks.classification import Classification
from ipcae.tasks.counts import CountReconstruction
from ipcae.tasks.head import Head
from ipcae.tasks.hurdle import HurdleReconstruction
from ipcae.tasks.metrics import METRICS, Metric
from ipcae.tasks.multilabel import Multilabel
from ipcae.tasks.panel import Panel
from ipcae.tasks.reconstruction import Reconstruction
from ipcae.tasks.regression import Regression
from ipcae.tasks.survival import Survival

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (Classification, Multilabel, Regression, Survival, Reconstruction, Panel)
}

__all__ = [
    "METRICS",
    "TASKS",
    "Classification",
    "CountReconstruction",
    "Head",
    "HurdleReconstruction",
    "Metric",
    "Multilabel",
    "Panel",
    "Reconstruction",
    "Regression",
    "Survival",
    "Task",
]
