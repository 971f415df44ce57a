"""Neural feature selection: concrete autoencoders with indirect parametrization."""

from ipcae.decoders import Mlp
from ipcae.errors import InputError, TrainingWarning
from ipcae.estimators import (
    ClassificationSelector,
    ReconstructionSelector,
    RegressionSelector,
    SurvivalSelector,
    load,
    paper_settings,
)
from ipcae.parametrizations import Diagonal, Direct, Full, MlpLogits, Scalar, Separate
from ipcae.regularizers import Gjsd
from ipcae.schedules import Constant, Cosine, Exponential, Linear, Warmup
from ipcae.selectors import Concrete, LassoNet, StochasticGates
from ipcae.version import __version__

__all__ = [
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
    "ReconstructionSelector",
    "RegressionSelector",
    "Scalar",
    "Separate",
    "StochasticGates",
    "SurvivalSelector",
    "TrainingWarning",
    "Warmup",
    "__version__",
    "load",
    "paper_settings",
]
