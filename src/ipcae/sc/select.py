"""Select a gene panel from an AnnData object."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.arrays import Floats, Integers
from ipcae.errors import InputTypeError
from ipcae.estimators import (
    ClassificationSelector,
    PanelSelector,
    ReconstructionSelector,
    RegressionSelector,
    StabilitySelection,
)
from ipcae.evaluation import read_sample
from ipcae.regularizers import FeatureCosts
from ipcae.sc.arguments import (
    COUNT_LOSSES,
    batches_of,
    check_arguments,
    check_size,
    classes_of,
    target_of,
)
from ipcae.sc.batches import balanced_weights, hold_out, random_split, score_each
from ipcae.sc.expression import expression_costs
from ipcae.sc.penalties import penalize
from ipcae.sc.table import cells_of, expression_of, held_out_sample, table_for
from ipcae.text import listed, similar_name

_COUNT_LOSS_TYPES = {type(loss) for loss in COUNT_LOSSES.values()}


def select(
    adata: Any,
    n_genes: int = 50,
    *,
    target: str | None = None,
    layer: str | None = None,
    batch_key: str | None = None,
    include: Any = None,
    exclude: Any = None,
    reconstruction_weight: float = 0.5,
    expression_limits: tuple[float | None, float | None] | None = None,
    expression_weight: float = 1.0,
    validation_fraction: float = 0.2,
    n_subsamples: int = 0,
    key_added: str = "ipcae",
    **parameters: Any,
) -> Any:
    """Select genes and write the panel into ``adata.var`` and ``adata.uns``.

    Parameters
    ----------
    adata : AnnData
        Normalized and log-transformed expression, dense or sparse; counts if ``loss`` is one of
        counts, such as "poisson". IP-CAE, the other concrete methods and "anova" keep a sparse
        matrix sparse: only the cells of a batch, and a sample of the cells held out, become dense.
        Other methods use a dense table of float32 and a scaled copy, 8 bytes for every cell and
        gene. If these do not fit into half of the free memory, rankings read a sample of the cells,
        and "stg", "lassonet" and "auto" are refused.
    n_genes : int, default=50
        Number of genes to select.
    target : str, default=None
        Column of ``adata.obs``: the cell types to distinguish, or numbers to predict. A few
        different integers are types, many are numbers. None selects genes from which all others can
        be reconstructed.
    layer : str, default=None
        Layer with the expression. None uses ``adata.X``.
    batch_key : str, default=None
        Column of ``adata.obs`` with the batch of every cell, such as the donor. All batches have
        the same weight, whole batches are held out for validation, and the panel is evaluated in
        every batch with a decoder trained on the others.
    include, exclude : optional
        Genes that must be, or must not be selected: names, patterns such as "^MT-", or a mask.
    reconstruction_weight : float, default=0.5
        With cell types, the weight of the reconstruction of all genes, from 0 (only distinguish the
        types) to 1.
    expression_limits : (float or None, float or None), default=None
        Lower and upper limit of the expression that can be measured, compared with the 99 %
        quantile over the cells. Genes outside are penalized, not excluded.
    expression_weight : float, default=1.0
        Weight of that penalty.
    validation_fraction : float, default=0.2
        Fraction of the cells to hold out for choosing the best epoch and run, and for the metrics.
    n_subsamples : int, default=0
        Number of random halves of the cells from which genes are selected again, an even number
        such as 20, to find out how stable the panel is. 0 leaves that out.
    key_added : str, default="ipcae"
        Prefix of the columns in ``adata.var``, and the key in ``adata.uns``.
    **parameters
        Arguments of the selector, such as ``n_runs``, ``max_epochs``, ``method`` or
        ``random_state``.

    Returns
    -------
    selector
        The fitted selector. ``adata.var`` has new columns ``ipcae_selected``, ``ipcae_rank``,
        ``ipcae_score`` (the importance of selected genes, else 0) and, with several runs,
        ``ipcae_other_seeds`` (the fraction of the other runs that selected the gene), unless the
        method does not depend on the seed; with ``n_subsamples``, ``ipcae_stability`` is the
        fraction of the halves of the cells from which the gene was selected;
        ``adata.uns["ipcae"]`` has the settings, the metrics on the validation cells and, with
        ``batch_key``, the score in every batch.

    See Also
    --------
    PanelSelector : Predict a class and reconstruct all columns.
    ipcae.sc.expression_costs : Penalties for genes outside limits of expression.

    Examples
    --------
    >>> import ipcae.sc
    >>> selector = ipcae.sc.select(adata, 20, target="cell type")  # doctest: +SKIP
    >>> panel = adata[:, adata.var["ipcae_selected"]]  # doctest: +SKIP
    """
    loss = parameters.get("loss")
    counts_expected = str(loss) in COUNT_LOSSES or type(loss) in _COUNT_LOSS_TYPES
    values = expression_of(adata, layer, counts_expected=counts_expected)
    y = None if target is None else target_of(adata, target)
    batches = None if batch_key is None else batches_of(adata, batch_key)
    check_size(n_genes, adata)
    check_arguments(counts_expected, target, validation_fraction, n_subsamples)
    parameters = {**parameters, "include": include, "exclude": exclude}
    selector = _selector_for(y, n_genes, reconstruction_weight, parameters)
    if expression_limits is not None:
        costs = expression_costs(values, expression_limits)
        penalize(selector, FeatureCosts(tuple(costs.tolist()), expression_weight), adata.n_obs)
    seed = parameters.get("random_state")
    seed = seed if isinstance(seed, int) else 0
    train, held_out, weights = _split(adata.n_obs, y, batches, validation_fraction, seed)
    X = table_for(selector, values, [str(name) for name in adata.var_names], len(train))
    metrics = _fit(selector, X, y, weights, train, held_out_sample(X, held_out, seed))
    per_batch: dict[str, float] = {}
    if batches is not None:
        epochs = 50 if selector.max_epochs == "auto" else min(selector.max_epochs, 50)
        per_batch = score_each(selector, X, y, batches, epochs)
    stability = _stability(selector, X, y, n_subsamples) if n_subsamples else None
    settings = {
        "n_genes": n_genes,
        "target": target,
        "layer": layer,
        "batch_key": batch_key,
        "selector": type(selector).__name__,
        "method": str(selector.method_),
        "reconstruction_weight": reconstruction_weight,
        "expression_limits": str(expression_limits) if expression_limits else None,
        "n_runs": selector.n_runs,
        "max_epochs": selector.max_epochs,
    }
    _write(adata, selector, key_added, settings, metrics, per_batch)
    if stability is not None:
        adata.var[f"{key_added}_stability"] = stability
    return selector


def _split(
    n_cells: int, y: NDArray[Any] | None, batches: NDArray[Any] | None, fraction: float, seed: int
) -> tuple[Integers, Integers, Floats | None]:
    """Return the training cells, the held-out cells, and the weights of the former.

    With batches, whole batches are held out, and all batches count the same in training.
    """
    if batches is None:
        return *random_split(n_cells, classes_of(y), fraction, seed), None
    train, held_out = hold_out(classes_of(y), batches, fraction, seed)
    return train, held_out, balanced_weights(batches[train])


def _stability(selector: Any, X: Any, y: NDArray[Any] | None, n_subsamples: int) -> Floats:
    """Return how often every gene is selected from halves of the cells."""
    repeated = StabilitySelection(clone(selector), n_subsamples=n_subsamples, refit=False)
    frequency: Floats = repeated.fit(X, y).frequency_
    return frequency


def _fit(
    selector: Any,
    X: Any,
    y: NDArray[Any] | None,
    weights: Floats | None,
    train: Integers,
    held_out: Integers,
) -> dict[str, float]:
    """Fit the selector to the training cells; return its metrics on the others."""
    y_train, y_held_out = (None, None) if y is None else (y[train], y[held_out])
    validation = {"X_val": cells_of(X, held_out)} | ({} if y is None else {"y_val": y_held_out})
    selector.fit(cells_of(X, train), y_train, weights, **validation)
    sample = read_sample(selector, cells_of(X, held_out), y_held_out)
    outputs = selector.decoder_outputs(sample.rows.inputs).double()
    metrics: dict[str, float] = selector.task_.metrics(outputs, sample.rows.targets)
    return metrics


def _selector_for(
    y: NDArray[Any] | None, n_genes: int, weight: float, parameters: dict[str, Any]
) -> Any:
    kind: Any = ReconstructionSelector
    if y is not None:
        kind = RegressionSelector if y.dtype.kind == "f" else ClassificationSelector
    if kind is ClassificationSelector and weight != 0:
        kind, parameters = PanelSelector, parameters | {"reconstruction_weight": weight}
    _check_names(kind, parameters)
    return kind(n_genes, **parameters)


def _check_names(kind: Any, parameters: dict[str, Any]) -> None:
    """Raise an error if the selector does not have a parameter, which is probably mistyped."""
    own = [name for name in inspect.signature(select).parameters if name != "parameters"]
    known = {*own, *kind._get_param_names()} - {"n_features_to_select"}
    for name in parameters:
        if name not in known:
            near = similar_name(name, sorted(known))
            hint = f"did you mean {near!r}?" if near else f"expected one of {listed(own, 20)}."
            raise InputTypeError(
                f"select has no argument {name!r}, nor has {kind.__name__}: {hint}"
            )


def _write(
    adata: Any,
    selector: Any,
    key: str,
    settings: dict[str, Any],
    metrics: dict[str, float],
    per_batch: dict[str, float],
) -> None:
    """Write the panel into the AnnData; only values that .h5ad can store."""
    support, scores = selector.get_support(), np.zeros(adata.n_vars)
    scores[selector.selection_.features] = selector.importance_[selector.best_run_]
    adata.var[f"{key}_selected"] = support
    adata.var[f"{key}_rank"] = selector.ranking_
    adata.var[f"{key}_score"] = scores
    if selector.n_runs > 1 and not np.isnan(selector.other_seeds_).all():
        adata.var[f"{key}_other_seeds"] = selector.other_seeds_
    adata.uns[key] = {
        "settings": {name: value for name, value in settings.items() if value is not None},
        "metrics": metrics,
        "genes": selector.get_feature_names_out()[np.argsort(selector.ranking_[support])].astype(
            str
        ),
    }
    if per_batch:
        adata.uns[key]["score_by_batch"] = per_batch
