"""Indirect parametrization with a full weight matrix, as in IP-CAE."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ipcae.ops import run_linear
from ipcae.parametrizations.base import embedding_size, linear_init
from ipcae.runs import Stream


@dataclass(frozen=True)
class Full:
    """One linear map, shared by all nodes: log α_i = W ψ_i + b.

    Parameters
    ----------
    size : int, "features" or "auto", default="auto"
        Length P of the embeddings ψ_i: ``"features"`` for D, as in the paper, ``"auto"`` for
        min(D, 128).
    bias : bool, default=True
        Whether to add b.

    See Also
    --------
    Direct : Learn the logits themselves, as in CAE.
    Diagonal : A diagonal matrix W.
    Scalar : A number as W.
    Separate : A matrix W for every node.
    MlpLogits : A network in place of W.

    Examples
    --------
    >>> params = Full(size=4).init(3, 8, Stream([0]))
    >>> {name: tuple(tensor.shape) for name, tensor in params.items()}
    {'embedding': (1, 3, 4), 'weight': (1, 8, 4), 'bias': (1, 8)}
    >>> Full(size=4).logits(params).shape
    torch.Size([1, 3, 8])
    """

    size: int | str = "auto"
    bias: bool = True

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Shape: embedding (R, K, P); weight (R, D, P); bias (R, D)."""
        size = embedding_size(self.size, n_features)
        params = {
            "embedding": stream.normal(n_nodes, size),
            "weight": linear_init(stream, size, n_features, size),
        }
        if self.bias:
            params["bias"] = linear_init(stream, size, n_features)
        return params

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Shape: -> (R, K, D)."""
        return run_linear(params["embedding"], params["weight"], params.get("bias"))
