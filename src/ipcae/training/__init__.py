"""Training of many runs in parallel, and the phases of a fit.

In reading order: ``problem`` and ``plan`` are the input of a training, ``phases`` are its parts,
``trainer`` has the loop, and ``fit`` is its result. ``epochs`` runs the epochs on ``batches`` with
``adam``, the optimizer; ``tracing`` makes a step faster on a CPU. ``choices`` has what follows a
selection, ``states`` what is saved, ``threads`` trainings in several threads (of ``builtin_parts``
only), and ``progress`` callbacks and progress bars.
"""

from ipcae.training.choices.choice import Choice, conclude, stacked_features
from ipcae.training.choices.decoding import decode
from ipcae.training.choices.joining import joined_choices
from ipcae.training.fit import Fit
from ipcae.training.phases import Phase
from ipcae.training.plan import Plan
from ipcae.training.problem import Problem
from ipcae.training.progress.callbacks import Callback, EpochReport
from ipcae.training.states.checkpoint import Checkpoint
from ipcae.training.states.history import History, curve
from ipcae.training.trainer import train

__all__ = [
    "Callback",
    "Checkpoint",
    "Choice",
    "EpochReport",
    "Fit",
    "History",
    "Phase",
    "Plan",
    "Problem",
    "conclude",
    "curve",
    "decode",
    "joined_choices",
    "stacked_features",
    "train",
]
