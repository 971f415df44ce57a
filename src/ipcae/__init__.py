"""Neural feature selection: concrete autoencoders with indirect parametrization.

PyTorch and scikit-learn are imported when a name is first used, so that ``ipcae --help`` is fast.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ipcae.version import __version__

if TYPE_CHECKING:
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

_NAMES_OF = {
    "decoders": ("Mlp",),
    "errors": ("InputError", "TrainingWarning"),
    "estimators": (
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
    ),
    "evaluation": ("evaluate_features",),
    "parametrizations": ("Diagonal", "Direct", "Full", "MlpLogits", "Scalar", "Separate"),
    "regularizers": ("Gjsd",),
    "schedules": ("Constant", "Cosine", "Exponential", "Linear", "Warmup"),
    "selectors": ("Concrete", "LassoNet", "StochasticGates", "Subset"),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import what is used for the first time: a public name, or a module of the package."""
        if name in _MODULE_OF:
            found = getattr(import_module(f"ipcae.{_MODULE_OF[name]}"), name)
        elif not name.startswith("_") and find_spec(f"ipcae.{name}"):
            return import_module(f"ipcae.{name}")
        else:
            raise AttributeError(f"module 'ipcae' has no attribute {name!r}")
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
