"""Indirect parametrizations that multiply the embeddings by a factor, or one per feature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from torch import Tensor

from ipcae.runs import Stream


@dataclass(frozen=True)
class Elementwise(ABC):
    """Base class: log α_i = w ∘ ψ_i + b, initialized as standard normal."""

    bias: bool = True

    @abstractmethod
    def n_factors(self, n_features: int) -> int:
        """Return the length of w."""

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Shape: embedding (R, K, D); weight (R, 1) or (R, D); bias (R, D)."""
        params = {
            "embedding": stream.normal(n_nodes, n_features),
            "weight": stream.normal(self.n_factors(n_features)),
        }
        if self.bias:
            params["bias"] = stream.normal(n_features)
        return params

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Shape: -> (R, K, D)."""
        logits = params["weight"].unsqueeze(1) * params["embedding"]
        return logits + params["bias"].unsqueeze(1) if self.bias else logits


@dataclass(frozen=True)
class Scalar(Elementwise):
    """One factor for all features: log α_i = w ψ_i + b, initialized as standard normal.

    Parameters
    ----------
    bias : bool, default=True
        Whether to add b.

    See Also
    --------
    Full : A full matrix W, as in IP-CAE.
    Diagonal : A diagonal matrix W.

    Examples
    --------
    >>> params = Scalar(bias=False).init(3, 8, Stream([0]))
    >>> {name: tuple(tensor.shape) for name, tensor in params.items()}
    {'embedding': (1, 3, 8), 'weight': (1, 1)}
    """

    def n_factors(self, n_features: int) -> int:
        """Return 1."""
        return 1


@dataclass(frozen=True)
class Diagonal(Elementwise):
    """One factor per feature: log α_i = diag(w) ψ_i + b, initialized as standard normal.

    Parameters
    ----------
    bias : bool, default=True
        Whether to add b.

    See Also
    --------
    Full : A full matrix W, as in IP-CAE.
    Scalar : A number as W.

    Examples
    --------
    >>> params = Diagonal(bias=False).init(3, 8, Stream([0]))
    >>> {name: tuple(tensor.shape) for name, tensor in params.items()}
    {'embedding': (1, 3, 8), 'weight': (1, 8)}
    """

    def n_factors(self, n_features: int) -> int:
        """Return the number of features."""
        return n_features
