"""The experimental protocol of the paper, as arguments of the selectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.regularizers import Gjsd
from ipcae.selectors import PAPER_METHODS, Concrete, method_named
from ipcae.training import Phase


def paper_settings(
    method: str = "ip-cae", *, batch_size: int = 128, gjsd_weight: float | tuple[float, ...] = 0.0
) -> dict[str, Any]:
    """Return the arguments that reproduce the training and evaluation of the paper.

    P = D, 200 epochs, one noise draw per row, no shuffling, incomplete batches dropped, one hidden
    layer of 200 units, no scaling, duplicates allowed, no fine-tuning. The batch size depends on
    the data set: see ``ipcae.data.CATALOGUE``.

    Methods that select features before the decoder is trained use the decoder that the paper uses
    for them: 200 hidden units with ReLU and without LayerNorm.

    Parameters
    ----------
    method : str, default="ip-cae"
        Name of a method.
    batch_size : int, default=128
        Rows per batch.
    gjsd_weight : float or tuple of float, default=0.0
        Weight λ of the GJSD regularizer, or one per run.

    Returns
    -------
    dict
        Keyword arguments of a selector.

    See Also
    --------
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.
    ReconstructionSelector : Reconstruct all columns, without a target.

    Examples
    --------
    >>> from ipcae import ClassificationSelector
    >>> settings = paper_settings("cae", batch_size=16)
    >>> selector = ClassificationSelector(10, n_runs=10, **settings)
    >>> selector.unique, selector.method.parametrization
    (False, Direct())
    >>> paper_settings("stg")["decoder"].normalize
    False
    """
    # NOTE[DIFF]: the defaults of the selectors differ from these arguments except for the epochs,
    # the learning rate, the schedule and the weight decay (docs/decisions/0001).
    # NOTE[DIFF]: the paper trains the decoders of STG and LassoNet for 100 epochs, and LassoNet for
    # 1000 epochs plus 100 per λ; here they are trained for as many epochs as all other methods.
    selector = method_named(PAPER_METHODS.get(method, method))
    joint = Phase.SELECTING in selector.phases
    if gjsd_weight:
        if not isinstance(selector, Concrete):
            raise InputError(
                f"gjsd_weight={gjsd_weight} is for concrete methods only: {method!r} has no nodes."
            )
        selector = replace(selector, regularizer=Gjsd(gjsd_weight))
    return {
        "method": selector,
        "max_epochs": 200,
        "batch_size": batch_size,
        "learning_rate": 1e-3,
        "schedule": "constant",
        "weight_decay": 0.0,
        "noise_draws": "row",
        "decoder": Mlp((200,), slope=0.2 if joint else 0.0, normalize=joint),
        "scale": None,
        "fine_tune": False,
        "refit": False,
        "unique": False,
        "early_stopping": False,
        "shuffle": False,
        "drop_last": True,
    }
