"""The logits of K categorical distributions, parametrized directly or indirectly."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ipcae.errors import InputError, invalid_argument
from ipcae.nn.global_stream import global_seed
from ipcae.parametrizations import Full, Parametrization
from ipcae.runs import Runs, Stream


class IndirectLogits(nn.Module):
    """Learned logits log α of K categorical distributions over D categories.

    By default, log α_i = W ψ_i + b with one linear map for all K distributions. Other
    parametrizations can be used instead, such as ``Direct()`` to learn the logits directly.

    Parameters
    ----------
    n_nodes : int
        Number of distributions, K.
    n_categories : int
        Number of categories, D.
    parametrization : Parametrization, default=Full()
        Parametrization of the logits. Its tensors are the parameters of this module, by name and
        without the run axis.
    seed : int, optional
        Seed of the initial tensors, which equal those of an estimator's run with this seed. By
        default, they depend on ``torch.manual_seed``.

    See Also
    --------
    ipcae.nn.ConcreteCategorical : Differentiable one-hot samples.
    Full : A full matrix W, as in IP-CAE.

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
            raise invalid_argument(
                "parametrization", parametrization, "an object such as Full() or Direct()"
            )
        for name, count in (("n_nodes", n_nodes), ("n_categories", n_categories)):
            if count < 1:
                raise InputError(f"{name}={count!r} is too small: expected a positive integer.")
        self.n_nodes = n_nodes
        self.n_categories = n_categories
        self.parametrization = parametrization
        runs = Runs.of([global_seed() if seed is None else seed])
        # The attribute of each tensor; PyTorch does not allow dots in the names.
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
        # Low temperatures amplify rounding errors of the logits: disable half precision.
        with torch.autocast(next(iter(params.values())).device.type, enabled=False):
            return self.parametrization.logits(params)[0]

    def extra_repr(self) -> str:
        """Return the settings to show in ``repr``."""
        return f"{self.n_nodes}, {self.n_categories}, {self.parametrization!r}"
