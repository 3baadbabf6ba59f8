"""Linear positions and merged dimensions against NumPy's own index arithmetic."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.lowering.loop.access import Access, coalescing, strides_of
from xrelay.lowering.loop.builder import LoopBuilder

FLAT: SSAValue = Block(arg_types=[MemRefType(f32, [1])]).args[0]


def positions(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """All positions of an iteration space, the last dimension fastest."""
    return list(itertools.product(*map(range, sizes)))


def linear(access: Access, at: Sequence[int]) -> int:
    """The linear position of known positions, for which the builder has nothing to emit."""
    block = Block()
    position = access.position(LoopBuilder(block), list(at))
    assert isinstance(position, int)
    assert not block.ops
    return position


@st.composite
def expressions(draw, num_dims: int) -> AffineExpr:
    """An expression that is never negative: a sum of terms, perhaps divided, perhaps the remainder."""
    expr: AffineExpr = AffineExpr.constant(draw(st.integers(0, 3)))
    for dim in range(num_dims):
        expr = expr + AffineExpr.dimension(dim) * draw(st.integers(0, 3))
    match draw(st.sampled_from(["linear", "floordiv", "mod"])):
        case "floordiv":
            expr = expr // draw(st.integers(1, 3))
        case "mod":
            expr = expr % draw(st.integers(1, 4))
    return expr * draw(st.integers(1, 2))


@st.composite
def reads(draw) -> tuple[list[int], AffineMap, list[int]]:
    """An iteration space, an index map over it and offsets that go with the map."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    rank = draw(st.integers(0, 3))
    exprs = tuple(draw(expressions(len(sizes))) for _ in range(rank))
    return sizes, AffineMap(len(sizes), 0, exprs), draw(st.lists(st.integers(0, 2), min_size=rank, max_size=rank))


@settings(max_examples=60, deadline=None)
@given(reads())
def test_access_is_the_row_major_position(read):
    sizes, index_map, offsets = read
    indices = {at: np.add(index_map.eval(list(at), []), offsets) for at in positions(sizes)}
    shape = tuple(int(n) + 1 for n in np.max(list(indices.values()), axis=0)) if offsets else ()
    access = Access.of(FLAT, shape, index_map, offsets)
    for at, index in indices.items():
        wanted = np.ravel_multi_index(tuple(map(int, index)), shape) if shape else 0
        assert linear(access, at) == wanted


@settings(max_examples=60, deadline=None)
@given(reads())
def test_stride_is_the_difference_of_neighbours(read):
    sizes, index_map, offsets = read
    access = Access.of(FLAT, [50] * len(offsets), index_map, offsets)
    for dim, stride in ((dim, access.stride(dim)) for dim in range(len(sizes))):
        if stride is None:
            continue
        for at in positions(sizes):
            neighbour = [i + (d == dim) for d, i in enumerate(at)]
            assert linear(access, neighbour) - linear(access, at) == stride


def test_strides():
    assert strides_of((2, 3, 4)) == [12, 4, 1]
    assert strides_of(()) == []


@st.composite
def nests(draw) -> tuple[list[int], list[str], list[Access]]:
    """Iteration spaces whose operands walk all dimensions, some of them, or in another order, or not linearly."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    kinds = draw(st.lists(st.sampled_from(["parallel", "reduction"]), min_size=len(sizes), max_size=len(sizes)))
    accesses = []
    for _ in range(draw(st.integers(1, 3))):
        used = [d for d in range(len(sizes)) if draw(st.booleans())]
        if draw(st.integers(0, 3)) == 0:
            used = draw(st.permutations(used))
        exprs = [AffineExpr.dimension(d) for d in used]
        if used and draw(st.integers(0, 3)) == 0:
            exprs[0] = exprs[0] // 2
        accesses.append(Access.of(FLAT, [sizes[d] for d in used], AffineMap(len(sizes), 0, tuple(exprs))))
    return sizes, kinds, accesses


@settings(max_examples=100, deadline=None)
@given(nests())
def test_coalescing_keeps_the_order_of_all_reads(nest):
    sizes, kinds, accesses = nest
    merge = coalescing(sizes, kinds, accesses)
    before = [tuple(linear(a, at) for a in accesses) for at in positions(sizes)]
    merged = [merge(access) for access in accesses]
    after = [tuple(linear(a, at) for a in merged) for at in positions(merge.sizes)]
    assert after == before
    for group, kind in zip(merge.groups, merge.kinds, strict=True):
        assert {kinds[d] for d in group} == {kind}


def test_coalescing_merges_what_is_contiguous():
    def access(*dims: int) -> Access:
        exprs = tuple(AffineExpr.dimension(d) for d in dims)
        return Access.of(FLAT, [(2, 3, 4)[d] for d in dims], AffineMap(3, 0, exprs))

    kinds = ["parallel"] * 3
    assert coalescing([2, 3, 4], kinds, [access(0, 1, 2)]).sizes == [24]
    assert coalescing([2, 3, 4], kinds, [access(0, 1, 2), access(1, 2)]).sizes == [2, 12]
    assert coalescing([2, 3, 4], kinds, [access(0, 1, 2), access(0)]).sizes == [2, 12]
    assert coalescing([2, 3, 4], kinds, [access(0, 2, 1)]).sizes == [2, 3, 4]
    assert coalescing([2, 3, 4], ["parallel", "reduction", "reduction"], [access(0, 1, 2)]).sizes == [2, 12]
