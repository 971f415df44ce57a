"""Estimates from times that may be censored: concordance, Kaplan-Meier, Breslow, Cox, residuals."""

from ipcae.survival.concordance import concordance, resampled_concordance
from ipcae.survival.cox_model import RiskSets, fit_cox
from ipcae.survival.step_functions import (
    StepFunction,
    cumulative_hazard,
    deviance_residuals,
    kaplan_meier,
    martingale_residuals,
)

__all__ = [
    "RiskSets",
    "StepFunction",
    "concordance",
    "cumulative_hazard",
    "deviance_residuals",
    "fit_cox",
    "kaplan_meier",
    "martingale_residuals",
    "resampled_concordance",
]
