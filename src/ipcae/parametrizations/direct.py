"""Direct parametrization, as in the concrete autoencoder (CAE, 2019)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ipcae.runs import Stream


@dataclass(frozen=True)
class Direct:
    """The logits are learned directly: log α_i = ψ_i.

    They are initialized uniformly in (0, 1), and each row is divided by its sum.

    See Also
    --------
    Full : A full matrix W, as in IP-CAE.
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.

    Examples
    --------
    >>> params = Direct().init(3, 8, Stream([0]))
    >>> Direct().logits(params).shape
    torch.Size([1, 3, 8])
    """

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Shape: embedding (R, K, D)."""
        start = stream.uniform(n_nodes, n_features)
        return {"embedding": start / start.sum(-1, keepdim=True)}

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Shape: -> (R, K, D)."""
        return params["embedding"]
