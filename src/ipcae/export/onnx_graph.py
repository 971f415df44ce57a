"""A builder of ONNX graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from ipcae.export.custom_decoder import exported_graph
from ipcae.export.network import WithSkip, WithSteps
from ipcae.tables import DETECTED, Scaler
from ipcae.tables.encodings.expansion import GAP, LEVEL, Expansion
from ipcae.version import __version__

if TYPE_CHECKING:
    from onnx import ModelProto

# LayerNormalization requires opset 17; PyTorch's exporter writes custom decoders in opset 18.
OPSET, IR_VERSION = 18, 8

Kind = np.dtype[Any]
FLOAT32: Kind = np.dtype(np.float32)


class Graph:
    """A graph under construction. Methods add nodes and return the name of their output.

    ``dtype`` is the type of the input ``X``, of ``n_inputs`` columns, and of values in its units.
    """

    def __init__(self, dtype: Kind, n_inputs: int):
        from onnx import helper

        self.dtype = dtype
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        self.input = helper.make_tensor_value_info("X", _element(dtype), ["rows", n_inputs])

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add one node with one output."""
        from onnx import helper

        name = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name, **attributes))
        return name

    def constant(self, value: NDArray[Any]) -> str:
        """Add a constant of numbers or strings."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def output(self, name: str, values: str, dtype: Kind, *widths: int) -> None:
        """Add an output of the graph. Shape: (rows, *widths)."""
        from onnx import helper

        self.nodes.append(helper.make_node("Identity", [values], [name], name))
        shape: list[str | int] = ["rows", *widths]
        self.outputs.append(helper.make_tensor_value_info(name, _element(dtype), shape))

    def cast(self, values: str, dtype: Kind) -> str:
        """Cast values to another type."""
        return self.node("Cast", values, to=_element(dtype))

    def take(self, columns: list[int]) -> str:
        """Take columns of X. Shape: (rows, D) -> (rows, K)."""
        return self.node("Gather", "X", self.constant(np.array(columns)), axis=1)

    def expanded(self, values: str, expansion: Expansion) -> str:
        """Expand categories and gaps, as :class:`Expansion`. Shape: (rows, K) -> (rows, E)."""
        taken = self.node("Gather", values, self.constant(expansion.owner), axis=1)
        gaps = self.node("IsNaN", taken)
        fill, level = (
            self.constant(part.astype(self.dtype)) for part in (expansion.fill, expansion.level)
        )
        is_level, is_gap = (self.constant(expansion.role == role) for role in (LEVEL, GAP))
        at_level = self.cast(self.node("Equal", taken, level), self.dtype)
        values = self.node("Where", is_level, at_level, taken)
        values = self.node("Where", gaps, fill, values)
        return self.node("Where", is_gap, self.cast(gaps, self.dtype), values)

    def scaled(self, values: str, scaler: Scaler) -> str:
        """Scale in the precision of X, as ``predict`` does; return float32."""
        if scaler.kind == DETECTED:
            zero = self.constant(np.zeros((), dtype=self.dtype))
            return self.cast(self.node("Greater", values, zero), FLOAT32)
        if scaler.kind != "none":
            values = self.node("Sub", values, self._numbers(scaler.center))
            values = self.node("Div", values, self._numbers(scaler.scale))
        return values if self.dtype == FLOAT32 else self.cast(values, FLOAT32)

    def unscaled(self, values: str, scaler: Scaler) -> str:
        """Convert to the original units, in the precision of X."""
        if self.dtype != FLOAT32:
            values = self.cast(values, self.dtype)
        values = self.node("Mul", values, self._numbers(scaler.scale))
        return self.node("Add", values, self._numbers(scaler.center))

    def _numbers(self, tensor: Tensor) -> str:
        return self.constant(tensor.numpy().astype(self.dtype))

    def layers(self, decoder: nn.Module, values: str) -> str:
        """Add the layers of an :class:`Mlp` decoder. Shape: (rows, K) -> (rows, O)."""
        if isinstance(decoder, WithSteps):
            return self.layers(decoder.body, self.with_steps(values, decoder))
        if isinstance(decoder, WithSkip):
            weight = self.constant(decoder.skip.weight.detach().T.numpy())
            linear = self.node("MatMul", values, weight)
            return self.node("Add", self.layers(decoder.body, values), linear)
        for layer in decoder.children():
            tensors = [self.constant(t.numpy()) for t in layer.state_dict().values()]
            if isinstance(layer, nn.Linear):
                values = self.node("Gemm", values, *tensors, transB=1)
            elif isinstance(layer, nn.LayerNorm):
                values = self.node("LayerNormalization", values, *tensors, epsilon=layer.eps)
            elif isinstance(layer, nn.LeakyReLU):
                values = self.node("LeakyRelu", values, alpha=layer.negative_slope)
            elif not isinstance(layer, nn.Dropout):
                raise NotImplementedError(type(layer).__name__)
        return values

    def with_steps(self, values: str, decoder: WithSteps) -> str:
        """Add the steps of the inputs. Shape: (rows, K) -> (rows, K + K * steps)."""
        n_inputs, n_steps = decoder.slope.shape
        owner = self.constant(np.arange(n_inputs).repeat(n_steps))
        slope, shift = (self.constant(t.flatten().numpy()) for t in (decoder.slope, decoder.shift))
        steps = self.node("Gather", values, owner, axis=1)
        steps = self.node("Add", self.node("Mul", steps, slope), shift)
        low, high = (self.constant(np.array(bound, dtype=np.float32)) for bound in (-1, 1))
        return self.node("Concat", values, self.node("Clip", steps, low, high), axis=1)

    def custom_decoder(self, decoder: nn.Module, values: str, n_inputs: int) -> str:
        """Add a custom decoder, converted by PyTorch's exporter. Shape: as ``layers``."""
        from onnx import compose, helper

        graph = compose.add_prefix_graph(exported_graph(decoder, n_inputs, OPSET), "decoder.")
        entry = graph.input[0].name
        self.nodes.append(helper.make_node("Identity", [values], [entry], entry))
        self.nodes.extend(graph.node)
        self.constants.extend(graph.initializer)
        return str(graph.output[0].name)

    def model(self, metadata: dict[str, str]) -> ModelProto:
        """Return the checked model."""
        from onnx import checker, helper

        graph = helper.make_graph(self.nodes, "ipcae", [self.input], self.outputs, self.constants)
        model = helper.make_model(
            graph,
            producer_name="ipcae",
            producer_version=__version__,
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        helper.set_model_props(model, metadata)
        checker.check_model(model, full_check=True)
        return model


def _element(dtype: Kind) -> int:
    from onnx import TensorProto, helper

    return TensorProto.STRING if dtype.kind == "O" else helper.np_dtype_to_tensor_dtype(dtype)
