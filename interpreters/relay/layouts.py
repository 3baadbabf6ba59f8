"""Arrays from one layout to another."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay.layout import Layout


def to_whole(array: np.ndarray, layout: Layout, letters: str) -> np.ndarray:
    """An array stored in `layout` with one axis a letter, in the order of `letters`."""
    order = [axis for letter in letters for axis in _digits(layout, letter)]
    sizes = layout.sizes(array.shape)
    return array.transpose(order).reshape([sizes[letter] for letter in letters])


def to_stored(array: np.ndarray, letters: str, layout: Layout) -> np.ndarray:
    """An array with one axis a letter, stored in `layout`; where a split does not divide an axis, zeros are added."""
    stored = layout.shape(dict(zip(letters, array.shape, strict=True)))
    order = [axis for letter in letters for axis in _digits(layout, letter)]
    missing = [-size % layout.factor(letter) for letter, size in zip(letters, array.shape, strict=True)]
    padded = np.pad(array, [(0, n) for n in missing])
    return padded.reshape([stored[axis] for axis in order]).transpose(np.argsort(order))


def _digits(layout: Layout, letter: str) -> list[int]:
    """The stored axes of a letter, the main one first, then its splits."""
    axes = layout.axes
    return sorted((i for i in range(layout.rank) if axes[i].letter == letter), key=lambda i: (not axes[i].is_main, i))
