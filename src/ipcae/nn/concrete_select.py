"""A layer of K Gumbel-Softmax nodes that selects K of D features."""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.nn.annealed import Annealed
from ipcae.nn.counts import require_count
from ipcae.nn.global_stream import global_seed
from ipcae.nn.indirect_logits import IndirectLogits
from ipcae.ops import concrete_select, gjsd
from ipcae.parametrizations import Full, Parametrization
from ipcae.runs import Stream
from ipcae.schedules import Schedule
from ipcae.selection import distinct_features, unique_percentage


class ConcreteSelect(Annealed):
    """Select K of the D features of the input.

    In training, the output of node i for a row x is m_i · x with a relaxed one-hot vector
    m_i = softmax((log α_i + g_i) / T), where the Gumbel noise g_i depends on
    ``torch.manual_seed``. In evaluation, it is the feature with the largest logit.

    Parameters
    ----------
    n_features : int
        Number of features, D.
    n_selected : int
        Number of nodes, K.
    parametrization : Parametrization, default=Full()
        Parametrization of the logits: ``Full()`` for IP-CAE, ``Direct()`` for CAE.
    temperature : float or Schedule, default=1.0
        T, or a schedule that :meth:`set_progress` evaluates, for example once per epoch. The
        estimators use ``Exponential(10.0, 0.01)``.
    noise_draws : int or "row", default=8
        Independent noise draws per batch, each shared by consecutive rows; ``"row"`` for one per
        row.
    straight_through : bool, default=False
        Whether to use hard samples in training, with the gradient of the soft ones.
    seed : int, optional
        Seed of the initial logits. By default, they depend on ``torch.manual_seed``.

    Attributes
    ----------
    logits : IndirectLogits
        The module with all parameters; ``logits()`` returns log α, of shape (K, D).

    See Also
    --------
    ipcae.nn.IndirectLogits : Learned logits of K distributions.
    ipcae.nn.ConcreteCategorical : Differentiable one-hot samples.
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.

    Notes
    -----
    Shape: (..., D) -> (..., K), in the precision of the parameters.

    Examples
    --------
    >>> import torch
    >>> from ipcae.nn import ConcreteSelect
    >>> from ipcae.schedules import Exponential
    >>> select = ConcreteSelect(64, 8, temperature=Exponential(10.0, 0.01))
    >>> select(torch.rand(5, 64)).shape, select(torch.rand(5, 3, 64)).shape
    (torch.Size([5, 8]), torch.Size([5, 3, 8]))
    >>> select.set_progress(0.5)
    >>> round(select.temperature, 3)
    0.316
    >>> x = torch.rand(5, 64)
    >>> torch.equal(select.eval()(x), x[:, select.selected])
    True
    """

    def __init__(
        self,
        n_features: int,
        n_selected: int,
        parametrization: Parametrization = Full(),  # noqa: B008 - frozen
        *,
        temperature: float | Schedule = 1.0,
        noise_draws: int | str = 8,
        straight_through: bool = False,
        seed: int | None = None,
    ):
        super().__init__(temperature)
        require_count("n_features", n_features)
        require_count("n_selected", n_selected)
        if n_selected > n_features:
            raise InputError(
                f"Cannot select {n_selected} of {n_features} features: expected n_selected to be "
                "at most n_features."
            )
        if noise_draws != "row":
            require_count("noise_draws", noise_draws, ' per batch, or "row" for one per row')
        self.n_features = n_features
        self.n_selected = n_selected
        self.noise_draws = noise_draws
        self.straight_through = straight_through
        self.logits = IndirectLogits(n_selected, n_features, parametrization, seed=seed)

    def forward(self, x: Tensor) -> Tensor:
        """Return the selected values of x. Shape: (..., D) -> (..., K)."""
        if x.ndim < 1 or x.shape[-1] != self.n_features:
            raise InputError(
                f"The input has shape {tuple(x.shape)}: expected {self.n_features} features on "
                "its last axis."
            )
        logits = self.logits()
        dtype, precision = logits.dtype, torch.promote_types(logits.dtype, torch.float32)
        rows = x.reshape(-1, self.n_features).to(precision)
        stream = None
        if self.training and len(rows):
            stream = Stream([global_seed()], step=0, device=rows.device)
        with torch.autocast(rows.device.type, enabled=False):
            selected = concrete_select(
                logits.to(precision).unsqueeze(0),
                rows,
                self.temperature,
                draws=self.noise_draws,
                stream=stream,
                straight_through=self.straight_through,
            )
        return selected.to(dtype).reshape(*x.shape[:-1], self.n_selected)

    @property
    @torch.no_grad()
    def selected(self) -> Tensor:
        """The feature with the largest logit of every node; not always distinct. Shape: (K,)."""
        return self.logits().argmax(-1)

    @torch.no_grad()
    def distinct(self) -> Tensor:
        """Return K distinct features, one per node, with the largest sum of logits.

        Shape: -> (K,).
        """
        logits = self.logits()
        return distinct_features(logits).to(logits.device)

    @property
    def unique_percentage(self) -> float:
        """100 · (number of distinct features in ``selected``) / K."""
        return float(unique_percentage(self.selected.unsqueeze(0)))

    def gjsd(self) -> Tensor:
        """Return the differentiable GJSD of the nodes' distributions, from 0 to log K.

        Subtract a multiple of it from the loss to encourage diversity. Shape: -> ().
        """
        return gjsd(self.logits().unsqueeze(0))[0]

    def extra_repr(self) -> str:
        """Return the settings to show in ``repr``."""
        return (
            f"{self.n_features}, {self.n_selected}, temperature={self.temperature:.4g}, "
            f"noise_draws={self.noise_draws!r}, straight_through={self.straight_through}"
        )
