"""The logits of K categorical distributions, parametrized directly or indirectly."""

from __future__ import annotations

from numbers import Integral

import torch
from torch import Tensor, nn

from ipcae.errors import invalid_argument
from ipcae.nn.counts import require_count
from ipcae.nn.global_stream import global_seed
from ipcae.parametrizations import Full, Parametrization
from ipcae.runs import Runs, Stream
from ipcae.torch_settings import default_torch_settings


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
        if seed is not None and not isinstance(seed, Integral):
            raise invalid_argument("seed", seed, "an integer or None")
        require_count("n_nodes", n_nodes)
        require_count("n_categories", n_categories)
        self.n_nodes = n_nodes
        self.n_categories = n_categories
        self.parametrization = parametrization
        self.seed = seed
        # The attribute of each tensor; PyTorch does not allow dots in the names.
        self._attributes: dict[str, str] = {}
        for name, initial in self._initial().items():
            attribute = name.removeprefix("buffer:").replace(".", "_")
            self._attributes[name] = attribute
            dtype = torch.get_default_dtype() if initial.is_floating_point() else initial.dtype
            tensor = initial.to(torch.get_default_device(), dtype)
            if "buffer:" in name:
                self.register_buffer(attribute, tensor)
            else:
                self.register_parameter(attribute, nn.Parameter(tensor))

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw the initial tensors again: others, unless there is a ``seed``."""
        for name, initial in self._initial().items():
            getattr(self, self._attributes[name]).copy_(initial)

    def _initial(self) -> dict[str, Tensor]:
        """Draw the initial tensors, on the CPU and in float32."""
        runs = Runs.of([global_seed() if self.seed is None else self.seed])
        with default_torch_settings():
            drawn = self.parametrization.init(self.n_nodes, self.n_categories, Stream(runs.seeds))
        return {name: tensor[0] for name, tensor in drawn.items()}

    def forward(self) -> Tensor:
        """Return log α. Shape: -> (K, D)."""
        params = {name: getattr(self, a).unsqueeze(0) for name, a in self._attributes.items()}
        # Low temperatures amplify rounding errors of the logits: disable half precision.
        with torch.autocast(next(iter(params.values())).device.type, enabled=False):
            return self.parametrization.logits(params)[0]

    def extra_repr(self) -> str:
        """Return the settings to show in ``repr``."""
        return f"{self.n_nodes}, {self.n_categories}, {self.parametrization!r}"
