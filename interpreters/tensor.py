"""The meaning of the tensor level: functions of linalg, tensor and kernel operations, on NumPy arrays.

A `linalg.generic` is evaluated op by op on whole arrays over its parallel dimensions, and position by position, in
order, along its reduction dimensions. Unsigned tensors are held as signed arrays of the same bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import cf, func, linalg, scf, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from xrelay.dialects import kernel
from xrelay.dialects.relay.constant import Constant
from xrelay.errors import ExecutionError
from xrelay.interpreters.arith import array_dtype, evaluate_scalar_op, is_scalar_op

Values = dict[SSAValue, Any]


def run_function(module: ModuleOp, name: str, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of a function of the module.

    Raises ExecutionError where a `cf.assert` fails, KeyError for an unknown function, NotImplementedError for an
    operation of another level.
    """
    functions = {op.sym_name.data: op for op in module.walk() if isinstance(op, func.FuncOp)}
    with np.errstate(all="ignore"):
        return _Interpreter(functions).call(name, [as_signless(np.asarray(a)) for a in arrays])


def as_signless(array: np.ndarray) -> np.ndarray:
    """Unsigned arrays as signed ones of the same bits."""
    return array.view(np.dtype(f"i{array.dtype.itemsize}")) if array.dtype.kind == "u" else array


class _Interpreter:
    def __init__(self, functions: dict[str, func.FuncOp]):
        self.functions = functions

    def call(self, name: str, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        block = self.functions[name].body.block
        values: Values = {}
        for arg, array in zip(block.args, arrays, strict=True):
            _check_type(arg, array)
            values[arg] = array
        return self.branch(block, values)

    def branch(self, block: Block, around: Values) -> list[np.ndarray]:
        """What the block returns or yields, given the values around it."""
        values = dict(around)
        for op in block.ops:
            if isinstance(op, func.ReturnOp | scf.YieldOp):
                return [values[operand] for operand in op.operands]
            results = self.evaluate(op, [values[operand] for operand in op.operands], values)
            for result, array in zip(op.results, results, strict=True):
                _check_type(result, array)
                values[result] = array
        raise AssertionError("a block neither returns nor yields")

    def evaluate(self, op: Operation, args: list[np.ndarray], values: Values) -> Sequence[np.ndarray]:
        match op:
            case func.CallOp():
                return self.call(op.callee.string_value(), args)
            case linalg.ops.GenericOp():
                return _generic(op, args, values)
            case linalg.ops.FillOp():
                number, out = args
                return [np.full(out.shape, number, out.dtype)]
            case tensor.EmptyOp():
                return [_garbage(op.tensor.type)]
            case tensor.InsertSliceOp():
                return [_insert_slice(op, *args)]
            case tensor.ExtractOp():
                return [_extract(args[0], args[1:])]
            case scf.IfOp():
                return self.branch((op.true_region if bool(args[0]) else op.false_region).block, values)
            case kernel.ViewOp():
                return [args[0].reshape(op.result.type.get_shape())]
            case Constant() | kernel.ConstantOp():
                return [as_signless(op.value.array)]
            case _ if is_scalar_op(op):
                return [evaluate_scalar_op(op, args)]
            case _:
                raise NotImplementedError(f"{op.name} is no operation of the tensor level")


def _check_type(value: SSAValue, array: np.ndarray) -> None:
    if isinstance(value.type, TensorType):
        expected = tuple(value.type.get_shape()), array_dtype(value.type)
        if (array.shape, array.dtype) != expected:
            raise AssertionError(f"a value of type {value.type} holds {array.dtype}{list(array.shape)}")


def _garbage(value_type: Any) -> np.ndarray:
    """An uninitialised tensor, filled so that reading it shows."""
    dtype = array_dtype(value_type)
    number = dtype.type(np.nan) if dtype.kind not in "ib" else dtype.type(0x5A)
    return np.full(value_type.get_shape(), number, dtype)


def _insert_slice(op: tensor.InsertSliceOp, source: np.ndarray, into: np.ndarray) -> np.ndarray:
    bounds = (op.static_offsets.get_values(), op.static_sizes.get_values(), op.static_strides.get_values())
    slices = [slice(offset, offset + size * stride, stride) for offset, size, stride in zip(*bounds, strict=True)]
    result = into.copy()
    result[tuple(slices)] = source
    return result


# linalg.generic ----------------------------------------------------------------------------------------------------


def _generic(op: linalg.ops.GenericOp, args: list[np.ndarray], values: Values) -> list[np.ndarray]:
    """`values` are those around the operation: its body may extract from any tensor."""
    maps = [m.data for m in op.indexing_maps]
    sizes = _iteration_sizes(maps, args)
    num_inputs = len(op.inputs)
    inputs, outputs = args[:num_inputs], args[num_inputs:]
    if 0 in sizes:
        return outputs
    reduced = [dim for dim, kind in enumerate(op.iterator_types) if kind.data == linalg.attrs.IteratorType.REDUCTION]
    grids = [_along(np.arange(size), dim, len(sizes)) for dim, size in enumerate(sizes)]
    start = _at(grids, reduced, [0] * len(reduced))
    accumulators = [_read(out, m, start) for out, m in zip(outputs, maps[num_inputs:], strict=True)]
    for position in itertools.product(*(range(sizes[dim]) for dim in reduced)):
        here = _at(grids, reduced, position)
        read = [_read(array, m, here) for array, m in zip(inputs, maps, strict=False)]
        accumulators = _evaluate_body(op.body.block, [*read, *accumulators], here, values)
    space = [1 if dim in reduced else size for dim, size in enumerate(sizes)]
    return [
        _store(np.broadcast_to(value, space), m, out)
        for value, m, out in zip(accumulators, maps[num_inputs:], outputs, strict=True)
    ]


def _iteration_sizes(maps: Sequence[AffineMap], arrays: Sequence[np.ndarray]) -> list[int]:
    """The size of every iteration dimension: that of an axis which is read at just that dimension."""
    sizes: dict[int, int] = {}
    for m, array in zip(maps, arrays, strict=True):
        for expr, size in zip(m.results, array.shape, strict=True):
            if isinstance(expr, AffineDimExpr) and sizes.setdefault(expr.position, size) != size:
                raise AssertionError(f"dimension d{expr.position} has the sizes {sizes[expr.position]} and {size}")
    missing = [dim for dim in range(maps[0].num_dims) if dim not in sizes] if maps else []
    if missing:
        raise AssertionError(f"no operand bounds the iteration dimensions {missing}")
    return [sizes[dim] for dim in sorted(sizes)]


def _along(values: np.ndarray, dim: int, rank: int) -> np.ndarray:
    """A 1-D array as one that extends along one of `rank` axes."""
    return values.reshape([-1 if axis == dim else 1 for axis in range(rank)])


def _at(grids: Sequence[np.ndarray], reduced: Sequence[int], position: Sequence[int]) -> list[np.ndarray]:
    """The grids with the reduction dimensions fixed at a position."""
    here = list(grids)
    for dim, place in zip(reduced, position, strict=True):
        here[dim] = np.full_like(grids[dim].reshape(-1)[:1], place).reshape([1] * len(grids))
    return here


def _read(array: np.ndarray, m: AffineMap, grids: Sequence[np.ndarray]) -> np.ndarray:
    """The elements of an operand at every position of the grids, as an array that broadcasts over them."""
    return _extract(array, [np.asarray(expr.eval(grids, [])) for expr in m.results])  # pyright: ignore[reportArgumentType]


def _extract(array: np.ndarray, indices: Sequence[np.ndarray]) -> np.ndarray:
    for axis, (index, size) in enumerate(zip(indices, array.shape, strict=True)):
        if np.any((index < 0) | (index >= size)):
            raise AssertionError(f"a read outside axis {axis} of size {size}, which no assertion guards")
    return np.asarray(array[tuple(indices)])


def _store(value: np.ndarray, m: AffineMap, out: np.ndarray) -> np.ndarray:
    """Values over the iteration space (of size 1 along reductions) as an array of the output's axes."""
    dims = [expr.position for expr in m.results if isinstance(expr, AffineDimExpr)]
    others = tuple(dim for dim in range(m.num_dims) if dim not in dims)
    kept = sorted(dims)
    return np.array(value.squeeze(others).transpose([kept.index(dim) for dim in dims]), out.dtype, order="C")


def _evaluate_body(
    block: Block, args: Sequence[np.ndarray], grids: Sequence[np.ndarray], around: Values
) -> list[np.ndarray]:
    values: Values = {**around, **dict(zip(block.args, args, strict=True))}
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        match op:
            case linalg.ops.YieldOp():
                return operands
            case linalg.ops.IndexOp():
                values[op.result] = grids[op.dim.value.data]
            case tensor.ExtractOp():
                values[op.result] = _extract(operands[0], operands[1:])
            case cf.AssertOp():
                if not np.all(operands[0]):
                    raise ExecutionError(op.msg.data)
            case _:
                values[op.results[0]] = evaluate_scalar_op(op, operands)
    raise AssertionError("the body of a linalg.generic does not yield")
