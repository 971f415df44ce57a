"""The scikit-learn estimators."""

from ipcae.estimators.chance import chance_test
from ipcae.estimators.channels import ChannelSelector
from ipcae.estimators.classification import ClassificationSelector
from ipcae.estimators.false_discoveries import select_with_fdr
from ipcae.estimators.loading import SELECTORS, load
from ipcae.estimators.panel import PanelSelector
from ipcae.estimators.paper import paper_settings
from ipcae.estimators.reconstruction import ReconstructionSelector
from ipcae.estimators.regression import RegressionSelector
from ipcae.estimators.selector_cv import SelectorCV
from ipcae.estimators.stability_selection import StabilitySelection
from ipcae.estimators.survival import SurvivalSelector

__all__ = [
    "SELECTORS",
    "ChannelSelector",
    "ClassificationSelector",
    "PanelSelector",
    "ReconstructionSelector",
    "RegressionSelector",
    "SelectorCV",
    "StabilitySelection",
    "SurvivalSelector",
    "chance_test",
    "load",
    "paper_settings",
    "select_with_fdr",
]
