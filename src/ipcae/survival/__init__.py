"""Estimates from times that may be censored: concordance, Kaplan-Meier, Breslow."""

from ipcae.survival.breslow import cumulative_hazard
from ipcae.survival.concordance import concordance, resampled_concordance
from ipcae.survival.kaplan_meier import StepFunction, kaplan_meier

__all__ = [
    "StepFunction",
    "concordance",
    "cumulative_hazard",
    "kaplan_meier",
    "resampled_concordance",
]
