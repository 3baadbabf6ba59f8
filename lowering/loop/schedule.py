"""How a contraction is tiled: the register tile, chosen by a small cost model from the shape and the target.

The tile covers `rows` positions of a dimension along which only the broadcast operand moves (output channels of an NCHW
convolution, rows of a matrix product), `lines` positions of another along which the vector operand moves (image rows),
and `vectors` vectors of `lanes` consecutive elements. Its accumulators live in registers through all reduction loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil

from xrelay.lowering.target import Target

MIN_LANES = 4
"""Narrower vectors are not worth it, unless the machine has no wider ones for the element type."""


@dataclass(frozen=True)
class Tile:
    """A register tile: rows × lines × vectors accumulators of `lanes` elements each."""

    rows: int
    lines: int
    vectors: int
    lanes: int
    masked: bool
    """The one vector of a line is longer than the line: its tail is masked off."""

    @property
    def width(self) -> int:
        return self.vectors * self.lanes


def steps(size: int, tile: int) -> int:
    """How many tiles cover a dimension; the last one may overlap its neighbour."""
    return ceil(size / tile)


@cache
def choose_tile(rows: int, lines: int, width: int, element_bytes: int, target: Target) -> Tile:
    """The tile of least estimated time for dimensions of these sizes.

    Estimate: multiply-adds at one vector register's width a cycle against loads at two a cycle (one where a load fills
    more than 32 bytes), times what the tile computes too much because it does not divide the sizes.
    """
    budget = target.vector_registers - 6 if target.vector_registers > 16 else target.vector_registers - 4
    full = target.vector_bytes // element_bytes
    best: tuple[float, Tile] | None = None
    for lanes in (full, full // 2):
        if lanes < min(MIN_LANES, full):
            continue
        most = max(1, ceil(width / lanes))
        for vectors in range(1, min(most, budget) + 1):
            if vectors > 1 and vectors * lanes > width:
                continue
            masked = lanes > width
            for row_tile in range(1, min(rows, budget // vectors) + 1):
                for line_tile in range(1, min(lines, budget // (vectors * row_tile)) + 1):
                    tile = Tile(row_tile, line_tile, vectors, lanes, masked)
                    cost = _cost(tile, rows, lines, width, full)
                    if best is None or cost < best[0]:
                        best = (cost, tile)
    assert best is not None
    return best[1]


def _cost(tile: Tile, rows: int, lines: int, width: int, full: int) -> float:
    """Estimated cycles of one reduction step over the whole output."""
    tiles = steps(rows, tile.rows) * steps(lines, tile.lines) * steps(width, tile.width)
    narrow = tile.lanes < full
    accumulators = tile.rows * tile.lines * tile.vectors
    multiply = accumulators * (0.5 if narrow else 1.0)
    # With few accumulators the latency of a multiply-add (4 cycles) shows.
    multiply = max(multiply, 4.0)
    load = tile.lines * tile.vectors * (0.5 if narrow else 1.0) + tile.rows * 0.5
    return tiles * (max(multiply, load) + 0.1 * load + 1.0)
