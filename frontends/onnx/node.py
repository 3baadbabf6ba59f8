"""`Node`: what an importer function sees of an ONNX node, and what it builds with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from onnx import NodeProto, defs
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay import RelayOp
from xrelay.dialects.relay.types import DYNAMIC, as_tensor, broadcast_shapes, dtype_of, format_shape, shape_of
from xrelay.errors import ModelError, TypeInferenceError, UnsupportedError, XRelayError
from xrelay.frontends.onnx.attributes import read_attributes
from xrelay.frontends.onnx.types import check_size
from xrelay.frontends.onnx.value import Value
from xrelay.frontends.operators import ops

if TYPE_CHECKING:
    from xrelay.frontends.onnx.graph import GraphImporter, Scope


class Node:
    """One node: its inputs and attributes, checked against the operator's schema, and a builder of relay operators.

    Indices of inputs count from 0; an input may be absent. `opset` is the version of the node's domain.
    """

    def __init__(
        self,
        graph: GraphImporter,
        scope: Scope,
        proto: NodeProto,
        inputs: Sequence[Value | None],
        opset: int,
        schema: defs.OpSchema | None,
        where: str,
    ):
        self.graph, self.scope, self.proto, self.inputs = graph, scope, proto, inputs
        self.opset, self.schema, self.where = opset, schema, where
        self.attributes: dict[str, Any] = read_attributes(proto.attribute, schema, where)
        name = proto.name or next(iter(proto.output), "")
        self.location = NameLoc(StringAttr(name), NameLoc(StringAttr(proto.op_type), NoneAttr()))

    # Errors -------------------------------------------------------------------------------------------------------

    def fail(self, message: str, error: type[XRelayError] = ModelError) -> NoReturn:
        """Raise an error that names this node."""
        raise error(f"{self.where}: {message}")

    def unsupported(self, message: str) -> NoReturn:
        self.fail(message, UnsupportedError)

    def input_name(self, i: int) -> str:
        """`input 1 (shape)`, with the name that the operator's definition gives it."""
        formals = self.schema.inputs if self.schema else []
        formal = formals[min(i, len(formals) - 1)].name if formals else ""
        return f"input {i} ({formal})" if formal else f"input {i}"

    # Inputs -------------------------------------------------------------------------------------------------------

    def has(self, i: int) -> bool:
        return i < len(self.inputs) and self.inputs[i] is not None

    def value(self, i: int) -> Value:
        """Raises ModelError where there is no input i."""
        value = self.inputs[i] if i < len(self.inputs) else None
        if value is None:
            self.fail(f"{self.input_name(i)} is missing")
        return value

    def input(self, i: int) -> SSAValue:
        """Input i as an operand. Raises ModelError if it is absent."""
        return self.value(i).operand(self.graph.constant)

    def optional(self, i: int) -> SSAValue | None:
        return self.input(i) if self.has(i) else None

    def operands(self) -> list[SSAValue]:
        """All inputs, none of which may be absent."""
        return [self.input(i) for i in range(len(self.inputs))]

    def type(self, i: int = 0) -> TensorType:
        return self.value(i).type

    def element(self, i: int = 0) -> Attribute:
        return self.type(i).element_type

    def shape(self, i: int = 0) -> tuple[int, ...]:
        """The sizes of input i, DYNAMIC where unknown."""
        return shape_of(self.type(i))

    def rank(self, i: int = 0) -> int:
        return len(self.shape(i))

    def static_shape(self, i: int = 0) -> tuple[int, ...]:
        """The sizes of input i. Raises UnsupportedError where one is unknown."""
        shape = self.shape(i)
        if DYNAMIC in shape:
            self.unsupported(f"{self.input_name(i)} has unknown sizes, {self.type(i)}; shapes= can fix them")
        return shape

    def axis(self, axis: int, rank: int) -> int:
        """`axis` counted from the front. Raises ModelError outside [-rank, rank)."""
        if not -rank <= axis < rank:
            self.fail(f"axis {axis} is outside [-{rank}, {rank})")
        return axis % rank

    def broadcast(self, *shapes: Sequence[int]) -> tuple[int, ...]:
        """The common shape. Raises TypeInferenceError where there is none."""
        try:
            return broadcast_shapes(*shapes)
        except VerifyException as error:
            self.fail(str(error), TypeInferenceError)

    def known(self, i: int) -> np.ndarray:
        """The value of input i. Raises UnsupportedError where it is computed at run time."""
        array = self.value(i).freeze()
        if array is None:
            self.unsupported(
                f"{self.input_name(i)} must be known when the model is compiled, but {self.proto.input[i]!r} is "
                "computed at run time; if it comes from sizes of the inputs, fixing them by shapes= makes it known"
            )
        return array

    def known_ints(self, i: int) -> tuple[int, ...]:
        """The value of input i, a list of integers (a scalar counts as one)."""
        array = self.known(i)
        if array.ndim > 1 or array.dtype.kind not in "iu":
            self.fail(f"{self.input_name(i)} must be a list of integers, not {self.type(i)}")
        if array.size > 4096:
            self.fail(f"{self.input_name(i)} has {array.size} numbers, more than any tensor has axes")
        return tuple(int(v) for v in array.reshape(-1))

    def known_scalar(self, i: int) -> Any:
        """The value of input i, one number, as a Python one."""
        array = self.known(i)
        if array.size != 1:
            self.fail(f"{self.input_name(i)} must be one number, not {array.size}")
        number = array.reshape(-1)[0]
        return number.item() if array.dtype.kind in "iub" else float(number)

    # Attributes ---------------------------------------------------------------------------------------------------

    def attr(self, name: str, default: Any = None) -> Any:
        """The value of an attribute: the node's, else the schema's default, else `default`."""
        return self.attributes.get(name, default)

    def is_given(self, name: str) -> bool:
        """Whether the node itself has the attribute; the schema's default does not count."""
        return any(attribute.name == name for attribute in self.proto.attribute)

    def axes(self, i: int, name: str = "axes") -> tuple[int, ...] | None:
        """Integers that older opsets give as an attribute and newer ones as input i; None where they are absent."""
        if self.has(i):
            return self.known_ints(i)
        values = self.attr(name)
        return None if values is None else tuple(values)

    # Building -----------------------------------------------------------------------------------------------------

    def build(self, operator: type[RelayOp], *operands: SSAValue, **attrs: Any) -> Any:
        """A relay operator at this node's location: its result, or a tuple of them where it has not exactly one.

        Raises TypeInferenceError, with the node and the operand types, where the operands break the type rule.
        """
        try:
            op = operator.make(*operands, location=self.location, **attrs)
        except (VerifyException, ValueError, OverflowError) as error:
            types = ", ".join(str(value.type) for value in operands) or "no operands"
            self.fail(f"{operator.name} does not take ({types}): {error}", TypeInferenceError)
        for result in op.results:
            if isinstance(result.type, TensorType):
                check_size(result.type.get_shape(), dtype_of(result.type), self.where)
        self.graph.block.add_op(op)
        return op.results[0] if len(op.results) == 1 else tuple(op.results)

    def constant(self, value: Any, like: SSAValue | Attribute) -> SSAValue:
        """A constant of the element type of `like`."""
        dtype = dtype_of(like.type if isinstance(like, SSAValue) else like)
        return self.graph.constant(np.asarray(value).astype(dtype), "scalar")

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The value in another element type; itself where it has that type."""
        if as_tensor(value.type).element_type == element:
            return value
        return self.build(ops.Cast, value, dtype=element)

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The value under these sizes, of which one may be DYNAMIC and is inferred.

        Raises UnsupportedError where more of them are.
        """
        if tuple(shape) == shape_of(value.type) and DYNAMIC not in shape:
            return value
        if list(shape).count(DYNAMIC) > 1:
            self.unsupported(f"it needs a shape with several unknown sizes, {format_shape(shape)}; shapes= fixes them")
        sizes = tuple(-1 if size == DYNAMIC else size for size in shape)
        return self.build(ops.Reshape, value, newshape=sizes, allowzero=True)

    def transpose(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        if list(axes) == list(range(len(axes))):
            return value
        return self.build(ops.Transpose, value, axes=tuple(axes))
