"""Classical methods, which rank features without a network.

In reading order: ``base`` has the interface, and ``examples`` the rows that a ranking sees, which
``rows_to_rank`` limits. Every ranking has a file.

- Without a target: ``principal_features``, ``pivoted_qr``, ``column_subset`` (with
  ``column_residuals``, ``column_exchange`` and ``unit_forward``), ``discriminative``.
- One column at a time: ``anova``, ``nonredundant``, ``mutual_information``, ``cox_score``.
- By a model of all columns: ``random_forest``, ``lasso``, ``l1_logistic``, ``group_lasso``,
  ``forward``, ``group_forward``, ``additive_forward``.
- Backward elimination: ``elimination``, ``backward``, ``logistic_backward``,
  ``boosted_elimination``, ``cox_elimination``.
- With two objectives: ``panel_forward``, ``panel_exchange``.
- Whichever of several predicts best: ``adaptive`` and ``cox_adaptive``, which compare them
  (``preferred``) and keep their scores (``score_cache``).

For all of them, ``base`` takes soft penalties and limits (``penalized_scores``), a budget
(``within_budget``) and the number of threads (``cores``) into account.
"""

from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.anova import Anova
from ipcae.selectors.classical.backward import Backward
from ipcae.selectors.classical.base import Examples, Ranking
from ipcae.selectors.classical.boosted_elimination import BoostedElimination
from ipcae.selectors.classical.column_subset import ColumnSubset
from ipcae.selectors.classical.cox_adaptive import CoxAdaptive
from ipcae.selectors.classical.cox_elimination import CoxElimination
from ipcae.selectors.classical.cox_score import CoxScore
from ipcae.selectors.classical.discriminative import UnsupervisedDiscriminative
from ipcae.selectors.classical.elimination import Elimination
from ipcae.selectors.classical.group_lasso import GroupLasso
from ipcae.selectors.classical.l1_logistic import L1Logistic
from ipcae.selectors.classical.lasso import Lasso
from ipcae.selectors.classical.logistic_backward import LogisticBackward
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
    "logistic-backward": LogisticBackward(),
    "boosted-elimination": BoostedElimination(),
    "group-lasso": GroupLasso(),
    "adaptive": Adaptive(),
    "panel-forward": PanelForward(),
    "panel-exchange": PanelExchange(),
    "cox-score": CoxScore(),
    "cox-elimination": CoxElimination(),
    "cox-adaptive": CoxAdaptive(),
}

__all__ = [
    "RANKINGS",
    "Adaptive",
    "Anova",
    "Backward",
    "BoostedElimination",
    "ColumnSubset",
    "CoxAdaptive",
    "CoxElimination",
    "CoxScore",
    "Elimination",
    "Examples",
    "GroupLasso",
    "L1Logistic",
    "Lasso",
    "LogisticBackward",
    "MutualInformation",
    "PanelExchange",
    "PanelForward",
    "PivotedQr",
    "PrincipalFeatures",
    "RandomForest",
    "Ranking",
    "UnsupervisedDiscriminative",
]
