"""Training of many runs in parallel, and the phases of a fit."""

from ipcae.training.callbacks import Callback, EpochReport
from ipcae.training.checkpoint import Checkpoint
from ipcae.training.choice import Choice, conclude, stacked_features
from ipcae.training.decoding import decode
from ipcae.training.history import History, curve
from ipcae.training.joining import joined_choices
from ipcae.training.phases import Phase
from ipcae.training.plan import Plan
from ipcae.training.problem import Problem
from ipcae.training.trainer import Fit, train

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
