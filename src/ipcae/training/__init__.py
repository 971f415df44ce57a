"""Training many runs at once."""

from ipcae.training.callbacks import Callback, EpochReport
from ipcae.training.checkpoint import Checkpoint
from ipcae.training.choose import Choice, choose_features
from ipcae.training.history import History, curve
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.select import select_features
from ipcae.training.trainer import Fit, train

__all__ = [
    "Callback",
    "Checkpoint",
    "Choice",
    "EpochReport",
    "Fit",
    "History",
    "Plan",
    "Rows",
    "choose_features",
    "curve",
    "select_features",
    "train",
]
