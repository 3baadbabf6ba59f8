"""Reductions over operands that are read at affine positions: what convolutions, products, pools and statistics
share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from xrelay.dialects.relay.linear import accumulator
from xrelay.dialects.relay.types import shape_of, tensor_type
from xrelay.lowering.tensor.builder import PARALLEL, REDUCTION, TensorBuilder, dims

Read = tuple[SSAValue, Sequence[AffineExpr]]
"""A tensor, and where it is read: an expression over the iteration dimensions for each of its axes."""


def fold(
    b: TensorBuilder,
    reads: Sequence[Read],
    out_shape: Sequence[int],
    reduced: Sequence[int],
    initial: tuple[Any, Attribute],
    body: Callable[..., Any],
) -> SSAValue:
    """`acc = body(b, *elements, acc)` over the sizes in `reduced`, for each position of `out_shape`.

    The iteration dimensions are those of the result, then the reduced ones; `initial` is the first value and its type.
    A dimension that no operand has as an axis gets its size from an empty tensor, as in MLIR's pools.
    """
    first, n = len(out_shape), len(out_shape) + len(reduced)
    inputs = [value for value, _ in reads]
    maps = [AffineMap(n, 0, tuple(exprs)) for _, exprs in reads]
    bounded = {expr.position for m in maps for expr in m.results if isinstance(expr, AffineDimExpr)}
    missing = [dim for dim in range(first, n) if dim not in bounded]
    if missing:
        inputs.append(b.empty([reduced[dim - first] for dim in missing], initial[1]))
        maps.append(AffineMap(n, 0, tuple(AffineExpr.dimension(dim) for dim in missing)))
    maps.append(AffineMap(n, 0, tuple(dims(first))))
    iterators = [PARALLEL] * first + [REDUCTION] * len(reduced)
    out = b.full(out_shape, *initial)
    return b.generic(inputs, maps, out, iterators, lambda bb, *args: body(bb, *args[: len(reads)], args[-1]))


def contract(
    b: TensorBuilder, x: Read, w: Read, out_shape: Sequence[int], reduced: Sequence[int], element: Attribute
) -> SSAValue:
    """Σ x · w over the sizes in `reduced`, for each position of `out_shape`, as a tensor of `element`.

    Its body is `acc + x · w`, by which the loop level knows what to tile.
    """
    wide = accumulator(b.element(x[0]), element)
    total = fold(b, [x, w], out_shape, reduced, (0, wide), lambda _, x, w, acc: acc + x.cast(wide) * w.cast(wide))
    return convert(b, total, element)


def convert(b: TensorBuilder, source: SSAValue, element: Attribute) -> SSAValue:
    """A tensor in another element type."""
    if b.element(source) == element:
        return source
    shape = shape_of(source.type)
    identity = AffineMap.identity(len(shape))
    return b.map(tensor_type(shape, element), [source], [identity], lambda _, x: x.cast(element))
