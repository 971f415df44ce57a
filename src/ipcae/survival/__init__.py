"""Estimates from times that may be censored: concordance, Kaplan-Meier, Breslow, Cox."""

from ipcae.survival.breslow import cumulative_hazard
from ipcae.survival.concordance import concordance, resampled_concordance
from ipcae.survival.cox_model import RiskSets, fit_cox
from ipcae.survival.kaplan_meier import StepFunction, kaplan_meier

__all__ = [
    "RiskSets",
    "StepFunction",
    "concordance",
    "cumulative_hazard",
    "fit_cox",
    "kaplan_meier",
    "resampled_concordance",
]
