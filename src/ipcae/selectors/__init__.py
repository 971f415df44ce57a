"""The methods that select features, and their registry.

There are three kinds: a :class:`Joint` method trains the selection together with the decoder, a
:class:`Screen` is a network that learns which features to drop, and a :class:`Ranking` scores
features without a network. All of them implement :meth:`Method.choose`.

In reading order: ``base`` has the interface of a method.

- ``joint`` trains a selection with a decoder. ``concrete`` and ``subset`` are such methods, with
  the models ``select_then_decode`` and ``draw_then_decode``, which share a ``constrained_model``.
  In the models, ``node_choice`` lets nodes choose different features, and ``price`` keeps a budget.
- ``screening`` trains a network on all features (``screening_model``). ``stochastic_gates`` and
  ``lasso_net`` are such methods.
- ``classical`` has the rankings.
- ``shortlist`` combines a ranking and a joint method: ``shortlist_rankings`` are its
  ``candidates``, and ``ranking_fallback`` keeps the ranking if it predicts better.
- ``given_features`` trains decoders on a given list.

``recommendation`` chooses the default method for a table; ``linear_effects`` tells whether a linear
ranking is enough, and ``dependent_rows`` divides rows without groups into blocks.
"""

from __future__ import annotations

from ipcae.errors import InputError, refuse_class
from ipcae.parametrizations import Diagonal, Direct, Full, MlpLogits, Scalar
from ipcae.selectors.base import Method, Shape, choose_within_constraints
from ipcae.selectors.classical import (
    RANKINGS,
    Adaptive,
    Anova,
    Backward,
    BoostedElimination,
    ColumnSubset,
    CoxAdaptive,
    CoxElimination,
    CoxScore,
    Elimination,
    GroupLasso,
    L1Logistic,
    Lasso,
    LogisticBackward,
    MutualInformation,
    PanelExchange,
    PanelForward,
    PivotedQr,
    PrincipalFeatures,
    RandomForest,
    Ranking,
    UnsupervisedDiscriminative,
)
from ipcae.selectors.classical.statistics.effective_rows import effective_rows
from ipcae.selectors.concrete import Concrete
from ipcae.selectors.joint import Joint, JointModel
from ipcae.selectors.lasso_net import DenseToSparse, LassoNet
from ipcae.selectors.recommendation import Recommendation, nearly_independent, recommended
from ipcae.selectors.screening import Screen
from ipcae.selectors.select_then_decode import SelectThenDecode
from ipcae.selectors.shortlist import Shortlist
from ipcae.selectors.stochastic_gates import StochasticGates
from ipcae.selectors.subset import Subset
from ipcae.text import similar_name

# NOTE[DIFF]: "ip-cae" has P = min(D, 128) and eight noise draws per batch; the paper has P = D and
# one draw per row, as in ``paper_settings``.
METHODS: dict[str, Method] = {
    "ip-cae": Concrete(Full()),
    "cae": Concrete(Direct()),
    "ip-cae-diagonal": Concrete(Diagonal()),
    "ip-cae-scalar": Concrete(Scalar()),
    "ip-cae-mlp": Concrete(MlpLogits()),
    "subset": Subset(),
    "stg": StochasticGates(),
    "lassonet": LassoNet(),
    "shortlist": Shortlist(),
    **RANKINGS,
}

# The methods of the paper that differ from those of the same name in METHODS.
PAPER_METHODS: dict[str, Method] = {"ip-cae": Concrete(Full(size="features"))}


def method_named(method: str | Method) -> Method:
    """Return the method with this name; a method is returned unchanged.

    >>> method_named("cae").parametrization
    Direct()
    """
    if not isinstance(method, str):
        refuse_class("method", method, "choose")
        if not isinstance(method, Method):
            raise InputError(
                f"Unknown method {method!r}: expected one of {', '.join(METHODS)}, or a method "
                "such as Concrete(Full(size=64))."
            )
        return method
    if method not in METHODS:
        near = similar_name(method.replace("_", "-"), METHODS)
        hint = f". Did you mean {near!r}? The methods are" if near else ": expected one of"
        raise InputError(f"Unknown method {method!r}{hint} {', '.join(METHODS)}.")
    return METHODS[method]


__all__ = [
    "METHODS",
    "PAPER_METHODS",
    "Adaptive",
    "Anova",
    "Backward",
    "BoostedElimination",
    "ColumnSubset",
    "Concrete",
    "CoxAdaptive",
    "CoxElimination",
    "CoxScore",
    "DenseToSparse",
    "Elimination",
    "GroupLasso",
    "Joint",
    "JointModel",
    "L1Logistic",
    "Lasso",
    "LassoNet",
    "LogisticBackward",
    "Method",
    "MutualInformation",
    "PanelExchange",
    "PanelForward",
    "PivotedQr",
    "PrincipalFeatures",
    "RandomForest",
    "Ranking",
    "Recommendation",
    "Screen",
    "SelectThenDecode",
    "Shape",
    "Shortlist",
    "StochasticGates",
    "Subset",
    "UnsupervisedDiscriminative",
    "choose_within_constraints",
    "effective_rows",
    "method_named",
    "nearly_independent",
    "recommended",
]
