"""Callbacks for the argument ``callbacks`` of the selectors.

A callback is a function of an :class:`EpochReport`. If it returns True, the phase ends.
"""

from ipcae.callbacks.selection_recorder import SelectionRecorder
from ipcae.callbacks.tensorboard import TensorBoardLogger
from ipcae.training import EpochReport

__all__ = ["EpochReport", "SelectionRecorder", "TensorBoardLogger"]
