"""Neural feature selection: concrete autoencoders with indirect parametrization."""

from ipcae.decoders import Mlp
from ipcae.errors import InputError, TrainingWarning
from ipcae.estimators import (
    ChannelSelector,
    ClassificationSelector,
    PanelSelector,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    StabilitySelection,
    SurvivalSelector,
    chance_test,
    load,
    paper_settings,
    select_with_fdr,
)
from ipcae.evaluation import evaluate_features
from ipcae.parametrizations import Diagonal, Direct, Full, MlpLogits, Scalar, Separate
from ipcae.regularizers import Gjsd
from ipcae.schedules import Constant, Cosine, Exponential, Linear, Warmup
from ipcae.selectors import Concrete, LassoNet, StochasticGates, Subset
from ipcae.version import __version__

__all__ = [
    "ChannelSelector",
    "ClassificationSelector",
    "Concrete",
    "Constant",
    "Cosine",
    "Diagonal",
    "Direct",
    "Exponential",
    "Full",
    "Gjsd",
    "InputError",
    "LassoNet",
    "Linear",
    "Mlp",
    "MlpLogits",
    "PanelSelector",
    "ReconstructionSelector",
    "RegressionSelector",
    "Scalar",
    "SelectorCV",
    "Separate",
    "StabilitySelection",
    "StochasticGates",
    "Subset",
    "SurvivalSelector",
    "TrainingWarning",
    "Warmup",
    "__version__",
    "chance_test",
    "evaluate_features",
    "load",
    "paper_settings",
    "select_with_fdr",
]
