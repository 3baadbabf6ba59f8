"""The register tile of contractions."""

from __future__ import annotations

import pytest

from xrelay.lowering.loop.schedule import choose_tile, steps
from xrelay.lowering.target import Target

TARGETS = [
    "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64",
    "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell",
    "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512",
    "llvm -mtriple=aarch64-linux-gnu",
]
SIZES = [(1, 1, 1), (1, 1, 1000), (64, 1, 3136), (64, 56, 56), (3, 7, 7), (1000, 1, 1), (5, 40, 9), (2, 2, 9)]
"""(rows, lines, width)"""


@pytest.mark.parametrize("element_bytes", [1, 2, 4, 8])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", TARGETS)
def test_tile(name: str, sizes: tuple[int, int, int], element_bytes: int):
    target = Target(name)
    rows, lines, width = sizes
    tile = choose_tile(rows, lines, width, element_bytes, target)
    # Beside the accumulators, a vector of each line and one broadcast number are alive.
    assert tile.rows * tile.lines * tile.vectors + 2 <= target.vector_registers
    assert tile.lanes * element_bytes <= target.vector_bytes
    assert 1 <= tile.rows <= rows
    assert 1 <= tile.lines <= lines
    # Only a masked tile, of one vector, is wider than the line that it covers.
    assert tile.masked == (tile.width > width)
    assert not tile.masked or tile.vectors == 1


@pytest.mark.parametrize("tile", range(1, 9))
def test_steps_cover_the_size(tile: int):
    for size in range(1, 30):
        count = steps(size, tile)
        assert (count - 1) * tile < size <= count * tile


def test_a_large_tile_reuses_what_it_loads():
    target = Target("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512")
    tile = choose_tile(64, 1, 3136, 4, target)
    loads, multiplies = tile.vectors + tile.rows / 2, tile.rows * tile.vectors
    assert multiplies >= 2 * loads
