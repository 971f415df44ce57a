"""Indirect parametrization with a weight matrix for every node."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ipcae.ops import run_linear
from ipcae.parametrizations.base import embedding_size, linear_init
from ipcae.runs import Stream


@dataclass(frozen=True)
class Separate:
    """A separate linear map for every node: log α_i = W_i ψ_i + b_i.

    It has K times the weights of :class:`~ipcae.parametrizations.Full`: use a small ``size``.

    Parameters
    ----------
    size : int, "features" or "auto", default="auto"
        Length P of the embeddings ψ_i: ``"features"`` for D, ``"auto"`` for min(D, 128).
    bias : bool, default=True
        Whether to add b_i.

    See Also
    --------
    Full : A full matrix W, as in IP-CAE.
    Direct : Learn the logits themselves, as in CAE.

    Examples
    --------
    >>> params = Separate(size=4).init(3, 8, Stream([0]))
    >>> {name: tuple(tensor.shape) for name, tensor in params.items()}
    {'embedding': (1, 3, 4), 'weight': (1, 3, 8, 4), 'bias': (1, 3, 8)}
    >>> Separate(size=4).logits(params).shape
    torch.Size([1, 3, 8])
    """

    size: int | str = "auto"
    bias: bool = True

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Shape: embedding (R, K, P); weight (R, K, D, P); bias (R, K, D)."""
        size = embedding_size(self.size, n_features)
        params = {
            "embedding": stream.normal(n_nodes, size),
            "weight": linear_init(stream, size, n_nodes, n_features, size),
        }
        if self.bias:
            params["bias"] = linear_init(stream, size, n_nodes, n_features)
        return params

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Shape: -> (R, K, D)."""
        logits = run_linear(params["embedding"].unsqueeze(2), params["weight"]).squeeze(2)
        return logits + params["bias"] if self.bias else logits
