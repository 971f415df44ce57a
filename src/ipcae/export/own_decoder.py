"""A user's own network as an ONNX graph, made by torch's exporter."""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING

import torch
from torch import nn

from ipcae.errors import InputError
from ipcae.optional import optional

if TYPE_CHECKING:
    from onnx import GraphProto


def exported_graph(module: nn.Module, n_inputs: int, opset: int) -> GraphProto:
    """Return the graph of a module with one input and one output. Shape: (N, K) -> (N, O)."""
    optional("onnxscript", "to_onnx with a decoder of your own", install="onnxscript")
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about torch's own insides
            logger.setLevel(logging.ERROR)
            program = torch.onnx.export(
                module,
                (torch.zeros(3, n_inputs),),
                dynamo=True,
                opset_version=opset,
                input_names=["scaled"],
                output_names=["outputs"],
                dynamic_shapes=({0: torch.export.Dim("rows")},),
                verbose=False,
            )
    except Exception as error:  # the exporter's own, and whatever the module raises in it
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"torch cannot turn the decoder into ONNX ({first_line}): to_torch takes any decoder."
        ) from error
    finally:
        logger.setLevel(level)
    model = None if program is None else program.model_proto
    versions = [] if model is None else [(o.domain, o.version) for o in model.opset_import]
    if model is None or model.functions or versions != [("", opset)]:
        raise InputError(
            f"torch writes the decoder with other ONNX operators than those of version {opset}: "
            "to_torch takes any decoder."
        )
    return model.graph
