"""The logits of K categorical distributions, parametrized directly or indirectly."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ipcae.errors import InputError
from ipcae.nn.global_stream import global_seed
from ipcae.parametrizations import Full, Parametrization
from ipcae.runs import Runs, Stream


class IndirectLogits(nn.Module):
    """Learned logits log α of K categorical distributions over D categories.

    With the default, log α_i = W ψ_i + b: one linear map, shared by all K. Any parametrization
    may take its place, ``Direct()`` for logits that are learned themselves.

    Parameters
    ----------
    n_nodes : int
        K, the number of distributions.
    n_categories : int
        D, the number of categories of each.
    parametrization : Parametrization
        What the logits are made of. Its tensors are the parameters of this module, by name and
        without the run axis.
    seed : int, optional
        Of the initial tensors: those of an estimator's run with this seed. By default they follow
        ``torch.manual_seed``.

    Notes
    -----
    Shape: () -> (K, D).

    Examples
    --------
    >>> from ipcae.nn import IndirectLogits
    >>> logits = IndirectLogits(3, 8, Full(size=4))
    >>> {name: tuple(tensor.shape) for name, tensor in logits.named_parameters()}
    {'embedding': (3, 4), 'weight': (8, 4), 'bias': (8,)}
    >>> logits().shape
    torch.Size([3, 8])
    """

    def __init__(
        self,
        n_nodes: int,
        n_categories: int,
        parametrization: Parametrization = Full(),  # noqa: B008 - frozen
        *,
        seed: int | None = None,
    ):
        super().__init__()
        if isinstance(parametrization, type) or not hasattr(parametrization, "logits"):
            raise InputError(
                f"parametrization={parametrization!r} is not understood: expected one such as "
                "Full() or Direct()."
            )
        for name, count in (("n_nodes", n_nodes), ("n_categories", n_categories)):
            if count < 1:
                raise InputError(f"{name}={count!r} is too small: expected a number from 1.")
        self.n_nodes = n_nodes
        self.n_categories = n_categories
        self.parametrization = parametrization
        runs = Runs.of([global_seed() if seed is None else seed])
        # The attribute of each of the parametrization's tensors; PyTorch allows no dot in it.
        self._attributes: dict[str, str] = {}
        for name, tensor in parametrization.init(n_nodes, n_categories, Stream(runs.seeds)).items():
            attribute = name.removeprefix("buffer:").replace(".", "_")
            self._attributes[name] = attribute
            if "buffer:" in name:
                self.register_buffer(attribute, tensor[0])
            else:
                self.register_parameter(attribute, nn.Parameter(tensor[0]))

    def forward(self) -> Tensor:
        """Return log α. Shape: -> (K, D)."""
        params = {name: getattr(self, a).unsqueeze(0) for name, a in self._attributes.items()}
        # A low temperature multiplies every error of the logits: no half precision here.
        with torch.autocast(next(iter(params.values())).device.type, enabled=False):
            return self.parametrization.logits(params)[0]

    def extra_repr(self) -> str:
        """Show the sizes and the parametrization."""
        return f"{self.n_nodes}, {self.n_categories}, {self.parametrization!r}"
