"""`relay-to-mixed-precision`: compute in 16-bit floats where that pays and does no harm.

Every operator is in one of three lists, which are Relay's:

- *always*: convolutions and matrix products. Their float32 operands are cast; sums stay in float32 inside (the
  operators are defined so), results are 16 bits wide.
- *follow*: data movement, arithmetic, pools. In 16 bits if all their float operands are there in 16 bits or are
  constants, else as they were.
- *never*: exponentials, norms, sums, softmax. They read float32.

The results of functions, and all that passes through calls, tuples and conditionals, keep their types. Float64 stays.
Running the pass again changes nothing.
"""

from __future__ import annotations

import warnings
from collections import ChainMap
from dataclasses import dataclass
from enum import IntEnum

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xrelay.dialects.relay import (
    activation,
    convolution,
    creation,
    elementwise,
    image,
    indexing,
    linear,
    pooling,
    reduce,
    shape,
    transform,
    unary,
)
from xrelay.dialects.relay import normalization as norm
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import If, Tuple, TupleGetItem, Yield
from xrelay.dialects.relay.core import LanguageOp, RelayOp
from xrelay.dialects.relay.types import bf16, element_of, f16, f32
from xrelay.errors import XRelayError
from xrelay.lowering.graph.base import FunctionPass, constant_of
from xrelay.lowering.graph.successors import Restore, Successors


class MissingOp(IntEnum):
    """What to do with an operator that is in no list; it is left as it is in any case that goes on."""

    ERROR = 0
    WARN = 1
    SILENT = 2


ALWAYS = (convolution.Convolution, linear.Dense, linear.Matmul, linear.BatchMatmul)

FOLLOW = (
    elementwise.Add, elementwise.Subtract, elementwise.Multiply, elementwise.Divide, elementwise.Maximum,
    elementwise.Minimum, elementwise.ComparisonOp, elementwise.Where,
    unary.Abs, unary.Negative, unary.Sign, unary.Ceil, unary.Floor, unary.Trunc, unary.Round, unary.RoundEven,
    unary.Sqrt, unary.Sigmoid, unary.Tanh, unary.PredicateOp, unary.Copy, unary.Clip, unary.Cast,
    activation.Relu, activation.LeakyRelu, activation.PRelu, activation.Gelu,
    linear.BiasAdd, norm.BatchNorm, norm.Dropout,
    pooling.MaxPooling, pooling.AvgPooling, pooling.GlobalMaxPool2D, pooling.AdaptiveMaxPool1D,
    pooling.AdaptiveMaxPool2D,
    reduce.Max, reduce.Min, reduce.ArgReduceOp,
    shape.UnaryTransform, shape.ShapeOf, transform.Concatenate, transform.Stack,
    indexing.Split, indexing.Take, indexing.Gather, indexing.GatherND, indexing.ScatterElements, indexing.Trilu,
    creation.ZerosLike, creation.OnesLike, creation.FullLike, image.Resize2D,
)  # fmt: skip

NEVER = (
    elementwise.BinaryOp, unary.UnaryOp, norm.SoftmaxOp, norm.L2Normalize, norm.LRN, norm.StatisticsNorm,
    pooling.Pooling, reduce.ReduceOp, indexing.Cumsum, creation.FillOp, creation.Full, creation.Arange, creation.OneHot,
)  # fmt: skip
"""What is in no list above, of these classes."""

LANGUAGE = (LanguageOp, Constant, If, Yield, Tuple, TupleGetItem)


@dataclass(frozen=True)
class ToMixedPrecision(FunctionPass):
    """Converts float32 functions. Raises XRelayError for another type, or an operator in no list if asked to."""

    name = "relay-to-mixed-precision"

    mixed_precision_type: str = "float16"
    """ "float16" or "bfloat16"."""
    missing_op_mode: int = MissingOp.WARN

    def apply_to_function(self, function: FuncOp) -> None:
        if self.mixed_precision_type not in ("float16", "bfloat16"):
            raise XRelayError(
                f'mixed_precision_type must be "float16" or "bfloat16", not "{self.mixed_precision_type}"'
            )
        conversion = _Conversion(element_of(self.mixed_precision_type), MissingOp(self.missing_op_mode))
        for block in function.body.blocks:
            conversion.block(block, ChainMap())
        conversion.successors.finish()


Narrow = ChainMap[SSAValue, SSAValue]
"""float32 value → the same in 16 bits."""


class _Conversion:
    def __init__(self, narrow: Attribute, missing: MissingOp):
        assert narrow in (f16, bf16)
        self._narrow = narrow
        self._missing = missing
        self._computed: set[SSAValue] = set()
        """The values that are computed in 16 bits; other ones are cast for some readers."""
        self.successors = Successors()

    def block(self, block: Block, known: Narrow) -> None:
        for op in list(block.ops):
            if isinstance(op, RelayOp) and not isinstance(op, LANGUAGE):
                self._operator(op, known)
            for region in op.regions:
                for nested in region.blocks:
                    self.block(nested, known.new_child())

    def _operator(self, op: RelayOp, known: Narrow) -> None:
        floats = [value for value in op.operands if _is_f32(value)]
        if isinstance(op, ALWAYS):
            if len(floats) == len(op.operands) and op.attrs.out_dtype in (None, f32):
                self._convert(op, known, out_dtype=None)
        elif isinstance(op, FOLLOW):
            # One of them at least is no constant: those fold.
            narrow = self._computed.intersection(floats)
            if narrow and all(v in narrow or constant_of(v) is not None for v in floats):
                self._convert(op, known)
        elif floats and not isinstance(op, NEVER):
            self._report(op)

    def _convert(self, op: RelayOp, known: Narrow, **attrs: Attribute | None) -> None:
        operands = [self._narrowed(value, known, op) if _is_f32(value) else value for value in op.operands]
        made = type(op).make(*operands, **{**vars(op.attrs), **attrs})
        made.attributes.update(op.attributes)
        self.successors.insert(made, op)
        results: list[tuple[SSAValue, Restore]] = []
        for old, new in zip(op.results, made.results, strict=True):
            if _is_f32(old) and not _is_f32(new):
                known[old] = new
                self._computed.add(old)
                results.append((new, lambda value: unary.Cast.make(value, dtype=f32)))
            else:
                results.append((new, None))
        self.successors.replace(op, results)

    def _narrowed(self, value: SSAValue, known: Narrow, at: Operation) -> SSAValue:
        if value not in known:
            known[value] = self.successors.insert(unary.Cast.make(value, dtype=self._narrow), at).results[0]
        return known[value]

    def _report(self, op: RelayOp) -> None:
        message = f"{op.name} at {op.location} is in no list of relay-to-mixed-precision, it stays in float32"
        if self._missing == MissingOp.ERROR:
            raise XRelayError(message)
        if self._missing == MissingOp.WARN:
            warnings.warn(message, stacklevel=2)


def _is_f32(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and value.type.element_type == f32
