"""Indirect parametrization with one hidden layer."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from ipcae.ops import run_linear
from ipcae.parametrizations.base import embedding_size, linear_init
from ipcae.runs import Stream


@dataclass(frozen=True)
class MlpLogits:
    """One small network for all nodes: log α_i = W₂ LeakyReLU(W₁ ψ_i + b₁) + b₂.

    Parameters
    ----------
    size : int, "features" or "auto", default=64
        Length P of the embeddings ψ_i: ``"features"`` for D, ``"auto"`` for min(D, 128).
    hidden : int, default=128
        Number of hidden units.
    bias : bool, default=True
        Whether to add b₁ and b₂.

    See Also
    --------
    Full : A full matrix W, as in IP-CAE.
    Separate : A matrix W for every node.

    Examples
    --------
    >>> params = MlpLogits(size=4, hidden=5).init(3, 8, Stream([0]))
    >>> MlpLogits(size=4, hidden=5).logits(params).shape
    torch.Size([1, 3, 8])
    """

    size: int | str = 64
    hidden: int = 128
    bias: bool = True

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Shape: embedding (R, K, P); weights (R, H, P) and (R, D, H); biases (R, H), (R, D)."""
        size = embedding_size(self.size, n_features)
        params = {
            "embedding": stream.normal(n_nodes, size),
            "hidden_weight": linear_init(stream, size, self.hidden, size),
            "weight": linear_init(stream, self.hidden, n_features, self.hidden),
        }
        if self.bias:
            params["hidden_bias"] = linear_init(stream, size, self.hidden)
            params["bias"] = linear_init(stream, self.hidden, n_features)
        return params

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Shape: -> (R, K, D)."""
        hidden = run_linear(params["embedding"], params["hidden_weight"], params.get("hidden_bias"))
        return run_linear(functional.leaky_relu(hidden, 0.2), params["weight"], params.get("bias"))
