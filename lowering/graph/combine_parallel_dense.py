"""`relay-combine-parallel-dense`: dense layers of the same data become one.

With `to_batch` (for layers with equally many units on a matrix) it is a batch of products, one a layer, else one dense
layer with all of the units. See `combine_parallel.py`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.indexing import Split
from xrelay.dialects.relay.linear import BatchMatmul, Dense
from xrelay.dialects.relay.shape import ExpandDims, Squeeze
from xrelay.dialects.relay.transform import Stack
from xrelay.dialects.relay.types import as_tensor, shape_of
from xrelay.lowering.graph.combine_parallel import Branches, CombineParallel, Joiner, join, without


@dataclass(frozen=True)
class CombineParallelDense(CombineParallel):
    """Combines at least `min_num_branches` dense layers of the same data."""

    name = "relay-combine-parallel-dense"
    OPERATOR: ClassVar[type[RelayOp]] = Dense

    to_batch: bool = True

    def key(self, op: Dense) -> Hashable:
        units = shape_of(op.weight.type)[0] if self.to_batch else None
        if self.to_batch and len(shape_of(op.data.type)) != 2:
            return None
        return without(op.attrs, "units"), units, as_tensor(op.weight.type).element_type

    def combine(self, branches: Branches) -> None:
        if self.to_batch:
            _to_batch(branches)
            return
        first, joiner = branches[0], Joiner(branches[0])
        weight = joiner.concatenate([op.weight for op in branches], 0)
        combined = joiner.make(Dense, first.data, weight, out_dtype=first.attrs.out_dtype)
        join(branches, combined, len(shape_of(first.data.type)) - 1, joiner)


def _to_batch(branches: Branches) -> None:
    """The data is a batch of one, which is used with every weight."""
    first, joiner = branches[0], Joiner(branches[0])
    weights = joiner.make(Stack, *(joiner.moved(op.weight) for op in branches), axis=0)
    data = joiner.make(ExpandDims, first.data, axis=0)
    products = joiner.make(BatchMatmul, data, weights, out_dtype=first.attrs.out_dtype, transpose_b=True)
    pieces = joiner.insert(Split.make(products, indices_or_sections=len(branches), axis=0)).results
    results = [joiner.make(Squeeze, piece, axis=(0,)) for piece in pieces]
    for op, result in zip(branches, results, strict=True):
        op.result.replace_all_uses_with(result)
        op.detach()
        op.erase()
