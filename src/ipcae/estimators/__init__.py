"""The scikit-learn estimators.

In reading order: ``base`` has the arguments of every selector, and ``mixins`` the methods of a
fitted one. ``supervised`` adds a target. ``classification``, ``regression``, ``survival``,
``reconstruction``, ``panel`` and ``channels`` are the selectors, and ``documentation`` describes
the parameters that they share; ``nested_parameters`` sets those of their parts. ``paper`` has the
settings of the paper, and ``loading`` reads a selector from a file.

``one_fit`` fits a selector, step by step, and ``many_fits`` many variants of it as one batch.
``selector_cv`` and ``stability_selection`` use these and then delegate to a fitted selector
(``delegation``). ``false_discoveries`` and ``chance`` test what was selected, and
``chance_of_folds`` a search, by its own folds.
"""

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
