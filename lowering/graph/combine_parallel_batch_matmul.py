"""`relay-combine-parallel-batch-matmul`: products of one batch with several others become one.

The right operands are joined along the columns of the result. See `combine_parallel.py`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.linear import BatchMatmul
from xrelay.dialects.relay.types import as_tensor, shape_of
from xrelay.lowering.graph.combine_parallel import Branches, CombineParallel, Joiner, join, without


@dataclass(frozen=True)
class CombineParallelBatchMatmul(CombineParallel):
    """Combines at least `min_num_branches` products of the same left operand."""

    name = "relay-combine-parallel-batch-matmul"
    OPERATOR: ClassVar[type[RelayOp]] = BatchMatmul

    def key(self, op: BatchMatmul) -> Hashable:
        return without(op.attrs), shape_of(op.tensor_b.type)[0], as_tensor(op.tensor_b.type).element_type

    def combine(self, branches: Branches) -> None:
        attrs, joiner = branches[0].attrs, Joiner(branches[0])
        right = joiner.concatenate([op.tensor_b for op in branches], 1 if attrs.transpose_b else 2)
        combined = joiner.make(BatchMatmul, branches[0].tensor_a, right, **vars(attrs))
        join(branches, combined, 2, joiner)
