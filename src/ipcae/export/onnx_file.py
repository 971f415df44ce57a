"""Export of a fitted selector to ONNX."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import invalid_argument
from ipcae.export.network import Network, network_of
from ipcae.export.onnx_graph import FLOAT32, Graph
from ipcae.filesystem.atomic import check_place, write_whole
from ipcae.optional import optional
from ipcae.torch_settings import with_default_torch_settings
from ipcae.version import __version__

if TYPE_CHECKING:
    from onnx import ModelProto

DTYPES = ("float32", "float64")


@with_default_torch_settings
def to_onnx(
    selector: Any, path: str | os.PathLike[str], input: str = "selected", *, dtype: str = "float32"
) -> None:
    """Export a fitted selector to an ONNX file.

    The input is ``X``, with any number of rows. The outputs are ``label`` (the class, or zeros and
    ones for multilabel targets) and ``probabilities`` for a classifier or a panel, ``prediction``
    for a regressor, ``risk`` for survival, and ``reconstruction`` otherwise. The metadata of the
    file contain the names of the columns (``input_names``), the classes (``classes``) and the names
    of reconstructed columns (``output_names``) as JSON. A category is given by the number of its
    level, counted from 0 in ``levels``, or -1 if it is none of them; with ``missing="impute"``, NaN
    is a missing value.

    Parameters
    ----------
    selector : selector
        A fitted selector, such as a ClassificationSelector. The best run is exported; ``with_run``
        chooses another.
    path : str or path
        The file to write, usually with the suffix ``.onnx``.
    input : "selected" or "all"
        Whether X contains only the selected columns, as returned by ``transform``, or all.
    dtype : "float32" or "float64"
        Type of X, of the scaling, and of predictions and reconstructions. Use float64 if columns
        or targets are large compared to their spread. The decoder always uses float32.

    Examples
    --------
    >>> import tempfile
    >>> import onnx
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ClassificationSelector(2, max_epochs=5, decoder=(8,), random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_onnx(selector, f"{folder}/iris.onnx")
    ...     [output.name for output in onnx.load(f"{folder}/iris.onnx").graph.output]
    ['label', 'probabilities']
    """
    optional("onnx", "to_onnx", install="ipcae[onnx]")
    if dtype not in DTYPES:
        raise invalid_argument("dtype", dtype, "'float32' or 'float64'")
    path = Path(path).expanduser()
    check_place(path)
    model = onnx_model(network_of(selector, input), dtype)
    write_whole(path, model.SerializeToString(deterministic=True))


def onnx_model(network: Network, dtype: str) -> ModelProto:
    """Return the ONNX model of a network."""
    graph = Graph(np.dtype(dtype), len(network.input_names))
    values = graph.take(network.columns)
    if network.expansion is not None:
        values = graph.expanded(values, network.expansion)
    values = graph.scaled(values, network.scaler)
    if network.custom_decoder:
        values = graph.custom_decoder(network.decoder, values, len(network.scaler.center))
    else:
        values = graph.layers(network.decoder, values)
    if network.head.n_outputs is not None:
        values = graph.node(
            "Gather", values, graph.constant(np.arange(network.head.n_outputs)), axis=1
        )
    if network.head.activation in (None, "exp", "hurdle"):
        _add_numbers(graph, network, values)
    else:
        _add_classes(graph, network, values)
    return graph.model(_metadata(network))


def _add_numbers(graph: Graph, network: Network, values: str) -> None:
    head, n_outputs = network.head, len(network.output_names)
    if head.factors is not None:
        values = graph.cast(graph.node("Exp", values), graph.dtype)
        values = graph.node("Mul", values, graph.constant(head.factors.astype(graph.dtype)))
        if head.activation == "hurdle":
            values = _hurdle(graph, values, n_outputs)
    elif head.scaler is not None:
        values = graph.unscaled(values, head.scaler)
    else:
        values = graph.cast(values, graph.dtype)
    if head.squeeze:
        values = graph.node("Squeeze", values, graph.constant(np.array([1])))
    graph.output(head.name, values, graph.dtype, *(() if head.squeeze else (n_outputs,)))


def _hurdle(graph: Graph, values: str, n_columns: int) -> str:
    """Return (1 − exp(−a)) (1 + b) of both halves of the values."""
    one = graph.constant(np.ones((), dtype=graph.dtype))
    rate, level = (
        graph.node("Gather", values, graph.constant(np.arange(n_columns) + start), axis=1)
        for start in (0, n_columns)
    )
    missed = graph.node("Exp", graph.node("Neg", rate))
    found = graph.node("Sub", one, missed)
    return graph.node("Mul", found, graph.node("Add", one, level))


def _add_classes(graph: Graph, network: Network, values: str) -> None:
    n_outputs = len(network.output_names)
    if network.head.activation == "sigmoid":
        likelier = graph.node("Greater", values, graph.constant(np.zeros((), dtype=np.float32)))
        integer = np.dtype(np.int64)
        graph.output(network.head.name, graph.cast(likelier, integer), integer, n_outputs)
        probabilities = graph.node("Sigmoid", values)
    else:
        labels = _labels(network.head.classes)
        index = graph.node("ArgMax", values, axis=1, keepdims=0)
        label = graph.node("Gather", graph.constant(labels), index, axis=0)
        graph.output(network.head.name, label, labels.dtype)
        probabilities = graph.node("Softmax", values, axis=1)
    graph.output("probabilities", probabilities, FLOAT32, n_outputs)


def _labels(classes: Any) -> NDArray[Any]:
    """Return the classes as a type that ONNX supports: numbers, booleans, strings, or 0, 1, …"""
    kind = classes.dtype.kind
    if kind in "iu":
        return classes.astype(np.int64)
    if kind == "b" or classes.dtype in (np.float32, np.float64):
        return classes
    if all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(object)
    return np.arange(len(classes))


def _metadata(network: Network) -> dict[str, str]:
    metadata = {
        "ipcae_version": __version__,
        "input_names": json.dumps(network.input_names),
    }
    if network.head.classes is not None:
        metadata["classes"] = json.dumps(network.head.classes.tolist(), default=str)
    if network.levels:
        metadata["levels"] = json.dumps(network.levels)
    if network.head.restores_columns:
        metadata["output_names"] = json.dumps(network.output_names)
    return metadata
