"""Callbacks for ``callbacks=``: what to do with the news of every epoch.

A callback is any function of an :class:`EpochReport`; one that returns True ends the phase.
"""

from ipcae.callbacks.selection_recorder import SelectionRecorder
from ipcae.callbacks.tensorboard import TensorBoardLogger
from ipcae.training import EpochReport

__all__ = ["EpochReport", "SelectionRecorder", "TensorBoardLogger"]
