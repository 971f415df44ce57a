"""Classical methods, which rank features without a network."""

from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.anova import Anova
from ipcae.selectors.classical.backward import Backward
from ipcae.selectors.classical.base import Examples, Ranking
from ipcae.selectors.classical.boosted_elimination import BoostedElimination
from ipcae.selectors.classical.column_subset import ColumnSubset
from ipcae.selectors.classical.cox_elimination import CoxElimination
from ipcae.selectors.classical.cox_score import CoxScore
from ipcae.selectors.classical.discriminative import UnsupervisedDiscriminative
from ipcae.selectors.classical.elimination import Elimination
from ipcae.selectors.classical.group_lasso import GroupLasso
from ipcae.selectors.classical.l1_logistic import L1Logistic
from ipcae.selectors.classical.lasso import Lasso
from ipcae.selectors.classical.mutual_information import MutualInformation
from ipcae.selectors.classical.panel_exchange import PanelExchange
from ipcae.selectors.classical.panel_forward import PanelForward
from ipcae.selectors.classical.pivoted_qr import PivotedQr
from ipcae.selectors.classical.principal_features import PrincipalFeatures
from ipcae.selectors.classical.random_forest import RandomForest

RANKINGS: dict[str, Ranking] = {
    "pfa": PrincipalFeatures(),
    "pivoted-qr": PivotedQr(),
    "column-subset": ColumnSubset(),
    "udfs": UnsupervisedDiscriminative(),
    "anova": Anova(),
    "mutual-information": MutualInformation(),
    "random-forest": RandomForest(),
    "l1-logistic": L1Logistic(),
    "lasso": Lasso(),
    "elimination": Elimination(),
    "backward": Backward(),
    "boosted-elimination": BoostedElimination(),
    "group-lasso": GroupLasso(),
    "adaptive": Adaptive(),
    "panel-forward": PanelForward(),
    "panel-exchange": PanelExchange(),
    "cox-score": CoxScore(),
    "cox-elimination": CoxElimination(),
}

__all__ = [
    "RANKINGS",
    "Adaptive",
    "Anova",
    "Backward",
    "BoostedElimination",
    "ColumnSubset",
    "CoxElimination",
    "CoxScore",
    "Elimination",
    "Examples",
    "GroupLasso",
    "L1Logistic",
    "Lasso",
    "MutualInformation",
    "PanelExchange",
    "PanelForward",
    "PivotedQr",
    "PrincipalFeatures",
    "RandomForest",
    "Ranking",
    "UnsupervisedDiscriminative",
]
