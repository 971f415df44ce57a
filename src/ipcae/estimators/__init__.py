"""The scikit-learn face: selectors for three tasks."""

from ipcae.estimators.classification import ClassificationSelector
from ipcae.estimators.paper import paper_settings
from ipcae.estimators.reconstruction import ReconstructionSelector
from ipcae.estimators.regression import RegressionSelector

__all__ = [
    "ClassificationSelector",
    "ReconstructionSelector",
    "RegressionSelector",
    "paper_settings",
]
